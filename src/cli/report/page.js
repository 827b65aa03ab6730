/* Draws the charts of a report: with Chart.js where the page has it, otherwise plainly as SVG. Each figure holds what is to be seen as JSON. */
"use strict";
(function () {
  const root = document.documentElement, charts = [], errors = [];
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [4, 4], [14, 4], [1, 4], [6, 2, 1, 2, 1, 2], [3, 6], [12, 2, 4, 2]];
  const marks = ["circle", "triangle", "rect", "rectRot", "crossRot", "star", "cross", "circle", "triangle", "rect"];
  addEventListener("error", (event) => errors.push(event.message));

  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const series = (number) => colour("s" + (number % 8 + 1));
  const brief = (text) => text.length > 28 ? text.slice(0, 27) + "…" : text;
  const number = (value) => value === null || value === undefined ? "-" : String(Number(value.toPrecision(4)));
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const make = (name, text) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  /* ---- with Chart.js */

  /* Whiskers of ranges, and vertical lines with a word at them. */
  const extras = {
    id: "extras",
    afterDatasetsDraw(chart) {
      const pen = chart.ctx, area = chart.chartArea, spec = chart.config.options.spec;
      pen.save();
      chart.data.datasets.forEach((set, at) => {
        if (!set.ranges || !chart.isDatasetVisible(at)) return;
        pen.strokeStyle = set.borderColor;
        pen.lineWidth = 1.6;
        pen.setLineDash([]);
        chart.getDatasetMeta(at).data.forEach((dot, i) => {
          const range = set.ranges[i];
          if (!range || range[0] === null || range[1] === null) return;
          pen.beginPath();
          if (spec.names) {
            const low = chart.scales.x.getPixelForValue(range[0]), high = chart.scales.x.getPixelForValue(range[1]);
            pen.moveTo(low, dot.y); pen.lineTo(high, dot.y);
            pen.moveTo(low, dot.y - 4); pen.lineTo(low, dot.y + 4);
            pen.moveTo(high, dot.y - 4); pen.lineTo(high, dot.y + 4);
          } else {
            const low = chart.scales.y.getPixelForValue(range[0]), high = chart.scales.y.getPixelForValue(range[1]);
            pen.moveTo(dot.x, low); pen.lineTo(dot.x, high);
            pen.moveTo(dot.x - 4, low); pen.lineTo(dot.x + 4, low);
            pen.moveTo(dot.x - 4, high); pen.lineTo(dot.x + 4, high);
          }
          pen.stroke();
        });
      });
      (spec.marks || []).forEach((mark, i) => {
        const x = chart.scales.x.getPixelForValue(mark.x);
        if (x < area.left - 1 || x > area.right + 1) return;
        pen.strokeStyle = pen.fillStyle = colour("soft");
        pen.lineWidth = 1;
        pen.setLineDash([3, 3]);
        pen.beginPath();
        pen.moveTo(x, area.top); pen.lineTo(x, area.bottom);
        pen.stroke();
        pen.font = "12px " + Chart.defaults.font.family;
        const wide = pen.measureText(mark.text).width + 6, toLeft = x + wide + 3 > area.right;
        const start = toLeft ? x - wide - 3 : x + 3, below = area.bottom - 4 - 17 * i;
        pen.fillStyle = colour("ground");
        pen.fillRect(start, below - 15, wide, 16);
        pen.fillStyle = colour("ink");
        pen.textBaseline = "bottom";
        pen.fillText(mark.text, start + 3, below);
      });
      pen.restore();
    }
  };

  function dataset(spec, one, at) {
    const own = spec.references > at ? colour("soft") : series(at - spec.references);
    const place = at - spec.references;
    const every = Math.max(1, Math.ceil(one.points.length / 12));
    const dots = one.style === "points" || one.style === "ranges";
    const few = one.points.length <= 12;
    return {
      label: brief(one.name),
      data: one.points.map((p) => ({ x: p[0], y: p[1] })),
      ranges: one.style === "ranges" ? one.points.map((p) => [p[2], p[3]]) : null,
      showLine: !dots,
      stepped: one.style === "steps" ? "before" : false,
      fill: one.style === "steps" ? "origin" : false,
      borderColor: own,
      backgroundColor: one.style === "steps" || (one.style === "points" && one.points.length > 100) ? own + "40" : own,
      borderWidth: one.style === "reference" ? 1.2 : dots ? 1 : 2,
      borderDash: one.style === "reference" ? [4, 4] : dots ? [] : dashes[place % dashes.length],
      pointStyle: one.style === "reference" || one.style === "steps" ? "line" : marks[place % marks.length],
      pointRadius: one.style === "reference" || one.style === "steps" ? 0
        : one.style === "ranges" ? 5 : one.style === "points" ? (one.points.length > 500 ? 2 : 3.5)
        : (context) => few || context.dataIndex % every === Math.floor(every * (place % 4) / 4) ? 3.5 : 0,
      pointHitRadius: 6, pointHoverRadius: 5, clip: 8, order: one.style === "reference" ? 1 : 0
    };
  }

  /* A piece of the line, dashed as it is, with its mark. */
  function legendImage(set) {
    const image = make("canvas"), pen = image.getContext("2d");
    image.width = 36;
    image.height = 12;
    pen.strokeStyle = set.borderColor;
    pen.fillStyle = set.backgroundColor;
    pen.lineWidth = set.showLine ? set.borderWidth : 1;
    if (set.showLine) {
      pen.setLineDash(set.borderDash);
      if (set.fill) pen.fillRect(0, 6, 36, 6);
      pen.beginPath(); pen.moveTo(0, 6); pen.lineTo(36, 6); pen.stroke();
      pen.setLineDash([]);
    }
    if (set.pointStyle !== "line" && Chart.helpers) {
      pen.fillStyle = set.borderColor;
      Chart.helpers.drawPoint(pen, { pointStyle: set.pointStyle, radius: 4, rotation: 0, borderWidth: 1 }, 18, 6);
    }
    return image;
  }

  /* Whiskers must be in sight, too. */
  function axis(title, unit, fromZero, reach) {
    return {
      type: "linear", min: unit ? 0 : undefined, max: unit ? 1 : undefined, beginAtZero: fromZero,
      suggestedMin: reach ? reach[0] : undefined, suggestedMax: reach ? reach[1] : undefined,
      title: { display: true, text: title, color: colour("ink") },
      grid: { color: colour("grid"), borderColor: colour("line") }, border: { color: colour("line") },
      ticks: { color: colour("soft"), maxRotation: 0, autoSkipPadding: 12 }
    };
  }

  function nameAxis(spec) {
    const made = axis(spec.y, false, false);
    made.min = -0.5; made.max = spec.names.length - 0.5; made.reverse = true;
    made.afterBuildTicks = (scale) => { scale.ticks = spec.names.map((name, i) => ({ value: i })); };
    made.ticks.callback = (value) => brief(spec.names[value] === undefined ? "" : spec.names[value]);
    made.ticks.autoSkip = false;
    made.grid.display = false;
    return made;
  }

  /* ---- logarithmic axes: ticks are 1, 2 and 5 times a power of ten, or 1 and 3 times, or powers alone, as there is space */

  const digits = [[1, 2, 5], [1, 3], [1]];

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
    return digits.map(between).find((ticks) => ticks.length <= Math.max(2, wanted)) || between([1]);
  }

  /* From a tick at or below the least value to one at or above the largest. */
  function logReach(spec) {
    const reach = extent(spec, 0, false, false).map((value) => Math.max(value, 1e-12));
    const power = (value) => Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    const steps = [1, 2, 5, 10];
    const below = steps.filter((s) => s * power(reach[0]) <= reach[0] * (1 + 1e-9)).pop() || 1;
    const above = steps.find((s) => s * power(reach[1]) >= reach[1] * (1 - 1e-9)) || 10;
    return [Number((below * power(reach[0])).toPrecision(6)), Number((above * power(reach[1])).toPrecision(6))];
  }

  function acrossAxis(spec) {
    const made = axis(spec.x, spec.unitX, spec.fromZero, spec.logarithmic ? undefined : extent(spec, 0, false, false));
    if (spec.logarithmic) {
      const reach = logReach(spec);
      made.type = "logarithmic";
      made.min = reach[0]; made.max = reach[1];
      made.afterBuildTicks = (scale) => { scale.ticks = logTicks(reach[0], reach[1], scale.width / 60).map((value) => ({ value })); };
      made.ticks.callback = (value) => value < 1000 ? number(value) : value.toLocaleString("en");
      made.ticks.autoSkip = false;
    }
    return made;
  }

  function drawWithLibrary(figure, canvas, spec) {
    const options = {
      spec, animation: false, responsive: true, maintainAspectRatio: false,
      interaction: { mode: "nearest", axis: "xy", intersect: false },
      scales: {
        x: acrossAxis(spec),
        y: spec.names ? nameAxis(spec) : axis(spec.y, spec.unitY, spec.hasSteps || spec.fromZero, extent(spec, 1, false, false))
      },
      plugins: {
        legend: {
          position: "bottom", display: spec.series.length > 1,
          labels: { color: colour("ink"), usePointStyle: true, pointStyleWidth: 36, boxHeight: 12, padding: 10,
            generateLabels: (chart) => Chart.defaults.plugins.legend.labels.generateLabels(chart).map((item) => {
              item.pointStyle = legendImage(chart.data.datasets[item.datasetIndex]);
              return item;
            }) }
        },
        tooltip: {
          callbacks: {
            title: () => "",
            label: (item) => {
              const set = item.dataset, range = set.ranges && set.ranges[item.dataIndex];
              const sure = range && range[0] !== null ? " (" + number(range[0]) + " to " + number(range[1]) + ")" : "";
              return spec.names
                ? brief(spec.names[item.parsed.y] || "") + ", " + set.label + ": " + number(item.parsed.x) + sure
                : set.label + ": " + spec.x + " " + number(item.parsed.x) + ", " + spec.y + " " + number(item.parsed.y) + sure;
            }
          }
        }
      }
    };
    return new Chart(canvas, { type: "scatter", data: { datasets: spec.series.map((one, at) => dataset(spec, one, at)) }, options, plugins: [extras] });
  }

  /* ---- without it */

  function niceTicks(low, high, wanted) {
    const rough = (high - low) / wanted, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) || 10 * power, ticks = [];
    for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step) ticks.push(Math.abs(t) < step / 1e6 ? 0 : t);
    return ticks;
  }

  function extent(spec, at, unit, zero) {
    let low = Infinity, high = -Infinity;
    if (unit) return [0, 1];
    spec.series.forEach((one) => one.points.forEach((p) => {
      const values = [p[at]];
      if (one.style === "ranges" && at === (spec.names ? 0 : 1)) values.push(p[2], p[3]);
      values.forEach((v) => { if (v !== null && v !== undefined) { low = Math.min(low, v); high = Math.max(high, v); } });
    }));
    if (zero) { low = Math.min(low, 0); high = Math.max(high, 0); }
    if (!(high > low)) { low -= 0.5; high += 0.5; }
    return [low, high];
  }

  function drawPlainly(figure, canvas, spec) {
    const box = canvas.parentNode, space = "http://www.w3.org/2000/svg";
    const wide = Math.max(280, box.clientWidth), legend = spec.series.length > 1 ? 20 * spec.series.length : 0;
    const high = Math.max(260, box.clientHeight), left = spec.names ? Math.min(150, wide / 3) : 58, right = wide - 14, top = 8, bottom = high - 44 - legend;
    const xs = spec.logarithmic ? logReach(spec) : extent(spec, 0, spec.unitX, spec.fromZero), ys = spec.names ? [spec.names.length - 0.5, -0.5] : extent(spec, 1, spec.unitY, spec.hasSteps || spec.fromZero);
    const along = spec.logarithmic ? (v) => Math.log(v / xs[0]) / Math.log(xs[1] / xs[0]) : (v) => (v - xs[0]) / (xs[1] - xs[0]);
    const x = (v) => left + along(v) * (right - left), y = (v) => bottom - (v - ys[0]) / (ys[1] - ys[0]) * (bottom - top);
    const svg = document.createElementNS(space, "svg");
    const add = (name, given, text) => {
      const one = document.createElementNS(space, name);
      Object.entries(given).forEach(([key, value]) => one.setAttribute(key, value));
      if (text !== undefined) one.textContent = text;
      svg.appendChild(one);
    };
    svg.setAttribute("viewBox", "0 0 " + wide + " " + high);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", canvas.getAttribute("aria-label"));
    svg.setAttribute("font-size", "12");
    (spec.logarithmic ? logTicks : niceTicks)(xs[0], xs[1], wide / 90).forEach((t) => {
      add("path", { d: "M" + x(t) + " " + top + "V" + bottom, stroke: colour("grid") });
      add("text", { x: x(t), y: bottom + 15, "text-anchor": "middle", fill: colour("soft") }, number(t));
    });
    (spec.names ? spec.names.map((n, i) => i) : niceTicks(ys[0], ys[1], 6)).forEach((t) => {
      if (!spec.names) add("path", { d: "M" + left + " " + y(t) + "H" + right, stroke: colour("grid") });
      add("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end", fill: colour("soft") }, spec.names ? brief(spec.names[t]).slice(0, 18) : number(t));
    });
    add("text", { x: (left + right) / 2, y: bottom + 34, "text-anchor": "middle", fill: colour("ink") }, spec.x);
    add("text", { transform: "translate(12 " + (top + bottom) / 2 + ") rotate(-90)", "text-anchor": "middle", fill: colour("ink") }, spec.names ? "" : spec.y);
    spec.series.forEach((one, at) => {
      const place = at - spec.references, own = place < 0 ? colour("soft") : series(place);
      const points = one.points.filter((p) => p[0] !== null && p[1] !== null);
      const dash = one.style === "reference" ? "4 4" : dashes[Math.max(0, place) % dashes.length].join(" ");
      if (one.style === "points" || one.style === "ranges") {
        points.forEach((p) => {
          if (one.style === "ranges" && p[2] !== null)
            add("path", { d: spec.names ? "M" + x(p[2]) + " " + y(p[1]) + "H" + x(p[3]) : "M" + x(p[0]) + " " + y(p[2]) + "V" + y(p[3]), stroke: own });
          add("circle", { "data-of": "series", cx: x(p[0]), cy: y(p[1]), r: one.style === "points" ? 2 : 4, fill: own });
        });
      } else {
        const path = points.map((p, i) => i === 0 ? "M" + x(p[0]) + " " + y(p[1]) : one.style === "steps" ? "H" + x(p[0]) + "V" + y(p[1]) : "L" + x(p[0]) + " " + y(p[1])).join("");
        add("path", { "data-of": place < 0 ? "reference" : "series", d: path, fill: "none", stroke: own, "stroke-width": one.style === "reference" ? 1.2 : 2, "stroke-dasharray": dash });
      }
      if (legend) {
        add("path", { d: "M" + left + " " + (bottom + 50 + 20 * at) + "h26", stroke: own, "stroke-width": 2, "stroke-dasharray": dash });
        add("text", { x: left + 34, y: bottom + 54 + 20 * at, fill: colour("ink") }, brief(one.name));
      }
    });
    (spec.marks || []).forEach((mark, i) => {
      if (mark.x < xs[0] || mark.x > xs[1]) return;
      add("path", { d: "M" + x(mark.x) + " " + top + "V" + bottom, stroke: colour("soft"), "stroke-dasharray": "3 3" });
      add("text", { x: x(mark.x) + 5, y: bottom - 6 - 15 * i, fill: colour("soft") }, mark.text);
    });
    box.querySelectorAll("svg").forEach((old) => old.remove());
    canvas.hidden = true;
    box.appendChild(svg);
    return { destroy() { svg.remove(); } };
  }

  /* ---- the numbers of a chart as a table, made when somebody opens it */

  function addTable(figure, spec) {
    const details = make("details");
    details.appendChild(make("summary", "The numbers of this chart"));
    details.addEventListener("toggle", () => {
      if (!details.open || details.querySelector("table")) return;
      const box = make("div"), table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
      const ranges = spec.series.some((one) => one.style === "ranges");
      ["series", spec.names ? spec.y : spec.x, spec.names ? spec.x : spec.y].concat(ranges ? ["95 % from", "to"] : []).forEach((title) => head.appendChild(make("th", title)));
      spec.series.forEach((one) => one.points.forEach((p) => {
        const row = body.insertRow(), values = spec.names ? [spec.names[p[1]], number(p[0])] : [number(p[0]), number(p[1])];
        [one.name].concat(values, ranges ? [number(p[2]), number(p[3])] : []).forEach((value) => row.appendChild(make("td", value)));
      }));
      box.className = "box";
      box.tabIndex = 0;
      box.appendChild(table);
      details.appendChild(box);
    });
    figure.appendChild(details);
  }

  /* ---- all */

  function prepare(figure) {
    const spec = JSON.parse(figure.querySelector("script").textContent), canvas = figure.querySelector("canvas");
    spec.series = spec.series || [];
    spec.series.sort((a, b) => (b.style === "reference") - (a.style === "reference"));
    spec.references = spec.series.filter((one) => one.style === "reference").length;
    spec.hasSteps = spec.series.some((one) => one.style === "steps");
    if (spec.names) canvas.parentNode.style.height = Math.max(14, 8 + 1.7 * spec.names.length) + "rem";
    else if (spec.series.length > 5) canvas.parentNode.style.height = "28rem";
    addTable(figure, spec);
    charts.push({ figure, canvas, spec, drawn: null });
  }

  function draw() {
    charts.forEach((chart) => {
      if (chart.drawn) chart.drawn.destroy();
      chart.drawn = (window.Chart ? drawWithLibrary : drawPlainly)(chart.figure, chart.canvas, chart.spec);
    });
  }

  /* The cell below the pointer, in words; its row and column stand out. */
  function readMatrix(box) {
    const table = box.querySelector("table"), reading = box.nextElementSibling, heads = table.tHead.rows[0].cells;
    let lit = [];
    const show = (event) => {
      const cell = event.target.closest("td");
      lit.forEach((one) => one.classList.remove("at"));
      lit = [];
      if (!cell) return;
      const row = cell.parentNode, all = Number(row.dataset.all), count = Number(cell.textContent || 0);
      lit = [cell, row.cells[0], heads[cell.cellIndex]];
      lit.forEach((one) => one.classList.add("at"));
      reading.textContent = "truth “" + row.cells[0].textContent + "”, answered “" + heads[cell.cellIndex].textContent + "”: " +
        number(count) + " of " + number(all) + (all ? " (" + (100 * count / all).toFixed(1) + " %)" : "");
    };
    table.addEventListener("mouseover", show);
    table.addEventListener("click", show);
  }

  /* Pixels between the axes that have the colour of a series. */
  function countPixels(chart) {
    const canvas = chart.canvas, area = chart.drawn.chartArea, ratio = chart.drawn.currentDevicePixelRatio;
    const wide = Math.floor((area.right - area.left) * ratio), high = Math.floor((area.bottom - area.top) * ratio);
    const pixels = canvas.getContext("2d").getImageData(area.left * ratio, area.top * ratio, wide, high).data;
    const colours = chart.drawn.data.datasets.slice(chart.spec.references).map((set) => parseInt(set.borderColor.slice(1), 16));
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4)
      count += colours.some((c) => Math.abs(pixels[i] - (c >> 16)) + Math.abs(pixels[i + 1] - (c >> 8 & 255)) + Math.abs(pixels[i + 2] - (c & 255)) < 12);
    return count;
  }

  /* For the tests in tests/browser: what a person would see to be wrong. */
  function check() {
    charts.forEach((chart) => {
      chart.canvas.dataset.drawn = window.Chart ? countPixels(chart) : chart.figure.querySelectorAll("svg [data-of=series]").length;
    });
    root.dataset.width = innerWidth;
    root.dataset.reach = root.scrollWidth;
    root.dataset.errors = errors.join("; ");
  }

  const button = document.getElementById("theme");
  const name = () => { button.textContent = isDark() ? "light" : "dark"; button.setAttribute("aria-label", "show the page " + button.textContent); };
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { name(); draw(); });
  addEventListener("beforeprint", () => { root.dataset.before = root.dataset.theme || ""; root.dataset.theme = "light"; draw(); });
  addEventListener("afterprint", () => { if (root.dataset.before) root.dataset.theme = root.dataset.before; else delete root.dataset.theme; draw(); });
  if (window.Chart) Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  name();
  document.querySelectorAll("figure.chart").forEach(prepare);
  draw();
  document.querySelectorAll(".matrix").forEach(readMatrix);
  if (!window.Chart) { let waiting; addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(draw, 100); }); }
  if (location.hash === "#check") setTimeout(check, 300);
})();
