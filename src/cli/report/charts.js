/*
 * Charts of a report, drawn by Chart.js if the page has it, otherwise as plain SVG.
 * addChart(parent, spec) draws {title, caption, x, y, unitX, unitY, logarithmic, fromZero, names,
 * series: [{name, style, color, points}], marks: [{x, text}]}. names: labels of the vertical axis,
 * from the top down. Styles: line, steps (a histogram), points, reference (thin and dashed), ranges
 * (points with intervals: [x, y, low, high], along x if there are names). color: the number of a
 * class.
 */
"use strict";
const root = document.documentElement, charts = [], errors = [],
      space = "http://www.w3.org/2000/svg";
const dashes = [
  [], [8, 4], [2, 3], [10, 3, 2, 3], [4, 4], [14, 4], [1, 4], [6, 2, 1, 2, 1, 2], [3, 6],
  [12, 2, 4, 2]
];
const shapes = [
  "circle", "triangle", "rect", "rectRot", "crossRot", "star", "cross", "circle", "triangle", "rect"
];
const glyphs = ["●", "▲", "■", "◆", "✖", "✱", "✚", "●", "▲", "■"];
let palette = [];
addEventListener("error", (event) => errors.push(event.message));

const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" :
                                          matchMedia("(prefers-color-scheme: dark)").matches;
const tone = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
const brief = (text) => text.length > 28 ? text.slice(0, 27) + "…" : text;
const digits = (value) =>
  value === null || value === undefined ? "-" : String(Number(value.toPrecision(4)));

/* The color of a class, as in plots. In dark mode it is mixed with white. */
function classColor(number) {
  const color = palette[number % palette.length], light = isDark() ? 0.3 : 0;
  const part = (at) => Math.round(parseInt(color.slice(at, at + 2), 16) * (1 - light) + 255 * light)
                         .toString(16)
                         .padStart(2, "0");
  return color === "#000000" && isDark() ? "#e8e8e8" : "#" + part(1) + part(3) + part(5);
}

function make(name, given, ...children) {
  const element = document.createElement(name);
  Object.entries(given || {}).forEach(([key, value]) => {
    if (value !== undefined) element.setAttribute(key, value);
  });
  element.append(...children.filter((one) => one !== undefined && one !== null));
  return element;
}

function drawing(name, given, text) {
  const element = document.createElementNS(space, name);
  Object.entries(given).forEach(([key, value]) => element.setAttribute(key, value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/* ---- what both share */

function extent(spec, at, unit, zero) {
  let low = Infinity, high = -Infinity;
  if (unit) return [0, 1];
  spec.series.forEach((one) => one.points.forEach((p) => {
    const values =
      one.style === "ranges" && at === (spec.names ? 0 : 1) ? [p[at], p[2], p[3]] : [p[at]];
    values.forEach((v) => {
      if (v !== null && v !== undefined) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    });
  }));
  if (zero) {
    low = Math.min(low, 0);
    high = Math.max(high, 0);
  }
  if (!(high > low)) {
    low -= 0.5;
    high += 0.5;
  }
  return [low, high];
}

/* Ticks of a logarithmic axis: 1, 2 and 5 times the powers of ten, or 1 and 3 times, or the powers
 * alone. */
function logTicks(low, high, wanted) {
  const between = (list) => {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low) + 1e-9); power <= Math.log10(high) + 1e-9; power++)
      list.forEach((digit) => {
        const tick = Number(digit + "e" + power);
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
      });
    return ticks;
  };
  return [[1, 2, 5], [1, 3], [1]].map(between).find(
           (ticks) => ticks.length <= Math.max(2, wanted)) ||
    between([1]);
}

/* The range of a logarithmic axis: from a tick at or below the least value to a tick at or above
 * the largest. */
function logReach(spec) {
  const reach = extent(spec, 0, false, false).map((value) => Math.max(value, 1e-12)),
        steps = [1, 2, 5, 10];
  const power = (value) => Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
  const below = steps.filter((s) => s * power(reach[0]) <= reach[0] * (1 + 1e-9)).pop() || 1;
  const above = steps.find((s) => s * power(reach[1]) >= reach[1] * (1 - 1e-9)) || 10;
  return [
    Number((below * power(reach[0])).toPrecision(6)),
    Number((above * power(reach[1])).toPrecision(6))
  ];
}

function lookOf(spec, at) {
  const one = spec.series[at], reference = one.style === "reference";
  const place = one.color !== undefined ? one.color : at - spec.references;
  return {
    reference,
    place,
    color: reference ? tone("soft") : classColor(place),
    dash: reference        ? [4, 4] :
      one.style === "line" ? dashes[place % dashes.length] :
                             []
  };
}

/* Adds the legend below the chart, where it covers no data. A click hides a series. */
function addLegend(chart) {
  const legend = chart.figure.querySelector(".legend");
  legend.replaceChildren(...chart.spec.series.length < 2 ? [] : chart.spec.series.map((one, at) => {
    const look = lookOf(chart.spec, at),
          key =
            drawing("svg", {viewBox: "0 0 36 12", width: 36, height: 12, "aria-hidden": "true"});
    const dots = one.style === "points" || one.style === "ranges";
    if (one.style === "steps")
      key.append(drawing("path", {d: "M0 2h36v10h-36z", fill: look.color, "fill-opacity": 0.25}));
    if (!dots)
      key.append(drawing("path", {
        d: "M0 6h36",
        stroke: look.color,
        "stroke-width": look.reference ? 1.2 : 2,
        "stroke-dasharray": look.dash.join(" ")
      }));
    if (!look.reference && one.style !== "steps")
      key.append(
        drawing("text", {x: 18, y: 10, "text-anchor": "middle", "font-size": 11, fill: look.color},
          glyphs[look.place % glyphs.length]));
    const item = make("button", {type: "button"}, key, make("span", {}, one.name));
    item.addEventListener("click", () => {
      if (!window.Chart) return;
      chart.drawn.setDatasetVisibility(at, !chart.drawn.isDatasetVisible(at));
      item.classList.toggle("off", !chart.drawn.isDatasetVisible(at));
      chart.drawn.update();
    });
    return item;
  }));
}

/* ---- with Chart.js */

/* Draws intervals, and vertical lines with a text above the chart. */
const extras = {
  id: "extras",
  afterDatasetsDraw(chart) {
    const pen = chart.ctx, area = chart.chartArea, spec = chart.config.options.spec;
    pen.save();
    chart.data.datasets.forEach((set, at) => {
      if (!set.ranges || !chart.isDatasetVisible(at)) return;
      pen.strokeStyle = set.borderColor;
      pen.lineWidth = 1.6;
      chart.getDatasetMeta(at).data.forEach((dot, i) => {
        if (set.ranges[i][0] === null || set.ranges[i][1] === null) return;
        const [low, high] = set.ranges[i].map(
          (value) => chart.scales[spec.names ? "x" : "y"].getPixelForValue(value));
        pen.beginPath();
        [[low, high, 0, 0], [low, low, -4, 4], [high, high, -4, 4]].forEach(([a, b, from, to]) => {
          if (spec.names) {
            pen.moveTo(a, dot.y + from);
            pen.lineTo(b, dot.y + to);
          } else {
            pen.moveTo(dot.x + from, a);
            pen.lineTo(dot.x + to, b);
          }
        });
        pen.stroke();
      });
    });
    (spec.marks || []).forEach((mark, i) => {
      const x = chart.scales.x.getPixelForValue(mark.x);
      if (x < area.left - 1 || x > area.right + 1) return;
      pen.strokeStyle = pen.fillStyle = tone("soft");
      pen.lineWidth = 1;
      pen.setLineDash([3, 3]);
      pen.beginPath();
      pen.moveTo(x, area.top - 4 - 15 * i);
      pen.lineTo(x, area.bottom);
      pen.stroke();
      pen.font = "12px " + Chart.defaults.font.family;
      pen.textBaseline = "bottom";
      const half = pen.measureText(mark.text).width / 2;
      pen.fillStyle = tone("ink");
      pen.fillText(mark.text, Math.min(Math.max(x - half, area.left), area.right - 2 * half),
        area.top - 4 - 15 * i);
    });
    pen.restore();
  }
};

function dataset(spec, one, at) {
  const look = lookOf(spec, at), place = look.place, count = one.points.length,
        every = Math.max(1, Math.ceil(count / 12));
  const dots = one.style === "points" || one.style === "ranges",
        none = look.reference || one.style === "steps";
  return {
    label: brief(one.name),
    data: one.points.map((p) => ({x: p[0], y: p[1]})),
    ranges: one.style === "ranges" ? one.points.map((p) => [p[2], p[3]]) : null,
    showLine: !dots,
    stepped: one.style === "steps" ? "before" : false,
    fill: one.style === "steps" ? "origin" : false,
    borderColor: look.color,
    backgroundColor: one.style === "steps" || (one.style === "points" && count > 100) ?
      look.color + "40" :
      look.color,
    borderWidth: look.reference ? 1.2 :
      dots                      ? 1 :
                                  2,
    borderDash: look.dash,
    pointStyle: none ? "line" : shapes[place % shapes.length],
    pointRadius: none        ? 0 :
      one.style === "ranges" ? 5 :
      one.style === "points" ? (count > 500 ? 2 : 3.5) :
                               (context) => count <= 12 ||
          context.dataIndex % every === Math.floor(every * (place % 4) / 4) ?
                               3.5 :
                               0,
    pointHitRadius: 6,
    pointHoverRadius: 5,
    clip: 8,
    order: look.reference ? 1 : 0
  };
}

function axis(title, unit, fromZero, reach) {
  return {
    type: "linear",
    min: unit ? 0 : undefined,
    max: unit ? 1 : undefined,
    beginAtZero: fromZero,
    suggestedMin: reach ? reach[0] : undefined,
    suggestedMax: reach ? reach[1] : undefined,
    title: {display: true, text: title, color: tone("ink")},
    grid: {color: tone("grid"), borderColor: tone("line")},
    border: {color: tone("line")},
    ticks: {color: tone("soft"), maxRotation: 0, autoSkipPadding: 12}
  };
}

function verticalAxis(spec) {
  if (!spec.names)
    return axis(spec.y, spec.unitY, spec.hasSteps || spec.fromZero, extent(spec, 1, false, false));
  const made = axis(spec.y, false, false);
  Object.assign(made, {
    min: -0.5,
    max: spec.names.length - 0.5,
    reverse: true,
    afterBuildTicks: (scale) => {
      scale.ticks = spec.names.map((name, i) => ({value: i}));
    }
  });
  Object.assign(made.ticks, {
    autoSkip: false,
    callback: (value) => brief(spec.names[value] === undefined ? "" : spec.names[value])
  });
  made.grid.display = made.title.display = false;
  return made;
}

function horizontalAxis(spec) {
  const made = axis(spec.x, spec.unitX, spec.fromZero,
    spec.logarithmic ? undefined : extent(spec, 0, false, false));
  if (spec.logarithmic) {
    const reach = logReach(spec);
    Object.assign(made, {
      type: "logarithmic",
      min: reach[0],
      max: reach[1],
      afterBuildTicks: (scale) => {
        scale.ticks = logTicks(reach[0], reach[1], scale.width / 60).map((value) => ({value}));
      }
    });
    Object.assign(made.ticks, {
      autoSkip: false,
      callback: (value) => value < 1000 ? digits(value) : value.toLocaleString("en")
    });
  }
  return made;
}

function drawWithLibrary(chart) {
  const spec = chart.spec;
  const label = (item) => {
    const set = item.dataset, range = set.ranges && set.ranges[item.dataIndex];
    const interval =
      range && range[0] !== null ? " (" + digits(range[0]) + " to " + digits(range[1]) + ")" : "";
    return spec.names ? brief(spec.names[item.parsed.y] || "") + ", " + set.label + ": " +
        digits(item.parsed.x) + interval :
                        set.label + ": " + spec.x + " " + digits(item.parsed.x) + ", " + spec.y +
        " " + digits(item.parsed.y) + interval;
  };
  return new Chart(chart.canvas, {
    type: "scatter",
    data: {datasets: spec.series.map((one, at) => dataset(spec, one, at))},
    plugins: [extras],
    options: {
      spec,
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      layout: {padding: {top: spec.marks ? 6 + 15 * spec.marks.length : 0}},
      interaction: {mode: "nearest", axis: "xy", intersect: false},
      scales: {x: horizontalAxis(spec), y: verticalAxis(spec)},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => "", label}}}
    }
  });
}

/* ---- without it */

function niceTicks(low, high, wanted) {
  const rough = (high - low) / wanted, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) || 10 * power,
        ticks = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step)
    ticks.push(Math.abs(t) < step / 1e6 ? 0 : t);
  return ticks;
}

function drawPlainly(chart) {
  const spec = chart.spec, box = chart.canvas.parentNode, wide = Math.max(280, box.clientWidth),
        high = Math.max(240, box.clientHeight);
  const left = spec.names ? Math.min(150, wide / 3) : 58, right = wide - 14,
        top = 8 + 15 * (spec.marks || []).length, bottom = high - 44;
  const xs = spec.logarithmic ? logReach(spec) : extent(spec, 0, spec.unitX, spec.fromZero);
  const ys = spec.names ? [spec.names.length - 0.5, -0.5] :
                          extent(spec, 1, spec.unitY, spec.hasSteps || spec.fromZero);
  const along = spec.logarithmic ? (v) => Math.log(v / xs[0]) / Math.log(xs[1] / xs[0]) :
                                   (v) => (v - xs[0]) / (xs[1] - xs[0]);
  const x = (v) => left + along(v) * (right - left),
        y = (v) => bottom - (v - ys[0]) / (ys[1] - ys[0]) * (bottom - top);
  const svg = drawing("svg",
    {viewBox: "0 0 " + wide + " " + high, role: "img", "aria-label": spec.title, "font-size": 12});
  const add = (name, given, text) => svg.append(drawing(name, given, text));
  (spec.logarithmic ? logTicks : niceTicks)(xs[0], xs[1], wide / 90).forEach((t) => {
    add("path", {d: "M" + x(t) + " " + top + "V" + bottom, stroke: tone("grid")});
    add("text", {x: x(t), y: bottom + 15, "text-anchor": "middle", fill: tone("soft")}, digits(t));
  });
  (spec.names ? spec.names.map((n, i) => i) : niceTicks(ys[0], ys[1], 6)).forEach((t) => {
    if (!spec.names) add("path", {d: "M" + left + " " + y(t) + "H" + right, stroke: tone("grid")});
    add("text", {x: left - 6, y: y(t) + 4, "text-anchor": "end", fill: tone("soft")},
      spec.names ? brief(spec.names[t]).slice(0, 18) : digits(t));
  });
  add("text", {x: (left + right) / 2, y: bottom + 34, "text-anchor": "middle", fill: tone("ink")},
    spec.x);
  add("text", {
    transform: "translate(12 " + (top + bottom) / 2 + ") rotate(-90)",
    "text-anchor": "middle",
    fill: tone("ink")
  },
    spec.names ? "" : spec.y);
  spec.series.forEach((one, at) => {
    const look = lookOf(spec, at),
          points = one.points.filter((p) => p[0] !== null && p[1] !== null);
    if (one.style === "points" || one.style === "ranges")
      points.forEach((p) => {
        if (one.style === "ranges" && p[2] !== null)
          add("path", {
            d: spec.names ? "M" + x(p[2]) + " " + y(p[1]) + "H" + x(p[3]) :
                            "M" + x(p[0]) + " " + y(p[2]) + "V" + y(p[3]),
            stroke: look.color
          });
        add("circle", {
          "data-of": "series",
          cx: x(p[0]),
          cy: y(p[1]),
          r: one.style === "points" ? 2 : 4,
          fill: look.color
        });
      });
    else
      add("path", {
        "data-of": look.reference ? "reference" : "series",
        fill: "none",
        stroke: look.color,
        "stroke-width": look.reference ? 1.2 : 2,
        "stroke-dasharray": look.dash.join(" "),
        d: points
             .map((p, i) => i === 0    ? "M" + x(p[0]) + " " + y(p[1]) :
                 one.style === "steps" ? "H" + x(p[0]) + "V" + y(p[1]) :
                                         "L" + x(p[0]) + " " + y(p[1]))
             .join("")
      });
  });
  (spec.marks || []).forEach((mark, i) => {
    if (mark.x < xs[0] || mark.x > xs[1]) return;
    add("path", {
      d: "M" + x(mark.x) + " " + (top - 2 - 15 * i) + "V" + bottom,
      stroke: tone("soft"),
      "stroke-dasharray": "3 3"
    });
    add("text", {x: x(mark.x), y: top - 4 - 15 * i, "text-anchor": "middle", fill: tone("ink")},
      mark.text);
  });
  box.querySelectorAll("svg").forEach((old) => old.remove());
  chart.canvas.hidden = true;
  box.append(svg);
  return {destroy() { svg.remove(); }};
}

/* ---- figures */

/* Shows the numbers of a chart as a table, which is created when it is opened. */
function addNumbers(figure, spec) {
  const details = make("details", {}, make("summary", {}, "Show as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    const ranges = spec.series.some((one) => one.style === "ranges");
    const heads = ["series", spec.names ? spec.y : spec.x, spec.names ? spec.x : spec.y].concat(
      ranges ? ["95% from", "to"] : []);
    const rows =
      spec.series.flatMap((one) => one.points.map(
                            (p) => [one.name].concat(spec.names ? [spec.names[p[1]], digits(p[0])] :
                                                                  [digits(p[0]), digits(p[1])],
                              ranges ? [digits(p[2]), digits(p[3])] : [])));
    details.append(make("div", {class: "box", tabindex: 0},
      make("table", {},
        make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", {}, head)))),
        make("tbody", {},
          ...rows.map((row) => make("tr", {}, ...row.map((value) => make("td", {}, value))))))));
  });
  figure.append(details);
}

function addChart(parent, spec) {
  const canvas = make("canvas", {role: "img", "aria-label": spec.title}),
        box = make("div", {class: "canvas"}, canvas);
  const figure =
    make("figure", {class: spec.names ? "chart wide" : "chart"}, make("h3", {}, spec.title), box,
      make("div", {class: "legend"}), spec.caption ? make("figcaption", {}, spec.caption) : null);
  spec.series.sort((a, b) => (b.style === "reference") - (a.style === "reference"));
  spec.references = spec.series.filter((one) => one.style === "reference").length;
  spec.hasSteps = spec.series.some((one) => one.style === "steps");
  if (spec.names) box.style.height = Math.max(12, 6 + 1.7 * spec.names.length) + "rem";
  addNumbers(figure, spec);
  if (!parent.lastChild || parent.lastChild.className !== "charts")
    parent.append(make("div", {class: "charts"}));
  parent.lastChild.append(figure);
  charts.push({figure, canvas, spec, drawn: null});
}

function drawCharts() {
  charts.forEach((chart) => {
    if (chart.drawn) chart.drawn.destroy();
    chart.drawn = (window.Chart ? drawWithLibrary : drawPlainly)(chart);
    addLegend(chart);
  });
}

/* ---- for tests/browser: what a reader would see to be wrong */

/* Counts the pixels between the axes that have the color of a series. */
function countPixels(chart) {
  const area = chart.drawn.chartArea, ratio = chart.drawn.currentDevicePixelRatio;
  const wide = Math.floor((area.right - area.left) * ratio),
        high = Math.floor((area.bottom - area.top) * ratio);
  const pixels = chart.canvas.getContext("2d")
                   .getImageData(area.left * ratio, area.top * ratio, wide, high)
                   .data;
  const wanted = chart.drawn.data.datasets.slice(chart.spec.references)
                   .map((set) => parseInt(set.borderColor.slice(1), 16));
  let count = 0;
  for (let i = 0; i < pixels.length; i += 4)
    count += wanted.some((c) => Math.abs(pixels[i] - (c >> 16)) +
          Math.abs(pixels[i + 1] - (c >> 8 & 255)) + Math.abs(pixels[i + 2] - (c & 255)) <
        12);
  return count;
}

function checkPage() {
  charts.forEach((chart) => {
    chart.canvas.dataset.drawn = window.Chart ?
      countPixels(chart) :
      chart.figure.querySelectorAll("svg [data-of=series]").length;
  });
  Object.assign(
    root.dataset, {width: innerWidth, reach: root.scrollWidth, errors: errors.join("; ")});
}
