/* Draws the panels of `cleave plot --json` as SVG above a canvas with the field: decision regions,
 * curves, bars. */
import { el } from "./ui.js";

const COLORS = 8,
  SPACE = "http://www.w3.org/2000/svg";
const SHAPES = [
  "M0-5A5 5 0 1 1 0 5 5 5 0 1 1 0-5Z",
  "M0-6 5.5 4.5H-5.5Z",
  "M-4.6-4.6H4.6V4.6H-4.6Z",
  "M0-6.2 6.2 0 0 6.2-6.2 0Z",
  "M-5-2H-2V-5H2V-2H5V2H2V5H-2V2H-5Z",
  "M0 6 5.5-4.5H-5.5Z",
  "M0-6 1.8-1.8 6 0 1.8 1.8 0 6-1.8 1.8-6 0-1.8-1.8Z",
  "M-6-3H6V3H-6Z",
];

export const color = (number) => `var(--class-${number % COLORS})`;
export const shape = (number) => SHAPES[number % SHAPES.length];

export function svg(name, given, text) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(given))
    if (value !== undefined) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

export function ticks(low, high, wanted) {
  const rough = (high - low) / wanted,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const list = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++)
    list.push(Number((i * step).toPrecision(12)));
  return list;
}

/** Positions of data coordinates in a drawing, and back. box: left, bottom, right, top. */
export class View {
  constructor(box, width, height) {
    this.box = box;
    this.left = 44;
    this.top = 10;
    this.width = width - this.left - 12;
    this.height = height - this.top - 36;
  }
  x(value) {
    return this.left + ((value - this.box[0]) / (this.box[2] - this.box[0])) * this.width;
  }
  y(value) {
    return this.top + ((this.box[3] - value) / (this.box[3] - this.box[1])) * this.height;
  }
  back(x, y) {
    return [
      this.box[0] + ((x - this.left) / this.width) * (this.box[2] - this.box[0]),
      this.box[3] - ((y - this.top) / this.height) * (this.box[3] - this.box[1]),
    ];
  }
}

function drawAxes(root, view, titles) {
  const [left, bottom, right, top] = view.box;
  const grid = svg("g", { class: "grid" });
  for (const x of ticks(left, right, Math.max(3, view.width / 90))) {
    grid.append(
      svg("line", { x1: view.x(x), x2: view.x(x), y1: view.top, y2: view.top + view.height }),
    );
    grid.append(
      svg("text", { x: view.x(x), y: view.top + view.height + 15, "text-anchor": "middle" }, x),
    );
  }
  for (const y of ticks(bottom, top, Math.max(3, view.height / 60))) {
    grid.append(
      svg("line", { x1: view.left, x2: view.left + view.width, y1: view.y(y), y2: view.y(y) }),
    );
    grid.append(svg("text", { x: view.left - 7, y: view.y(y) + 4, "text-anchor": "end" }, y));
  }
  const { width, height } = view;
  grid.append(
    svg(
      "text",
      {
        class: "title",
        x: view.left + width / 2,
        y: view.top + height + 32,
        "text-anchor": "middle",
      },
      titles[0],
    ),
  );
  grid.append(
    svg(
      "text",
      {
        class: "title",
        x: 0,
        y: 0,
        "text-anchor": "middle",
        transform: `translate(10 ${view.top + height / 2}) rotate(-90)`,
      },
      titles[1],
    ),
  );
  root.append(grid);
}

function tone(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/** The predictions of a field, painted in the place of its box. */
export function paintField(canvas, view, field, dense = 0.22) {
  canvas.hidden = !field;
  if (!field) return;
  const { columns, rows, cells, box } = field;
  const ground = tone("--panel"),
    tones = Array.from({ length: COLORS }, (_, i) => tone(`--class-${i}`));
  const known = cells.filter((cell) => cell !== null),
    low = Math.min(...known),
    high = Math.max(...known);
  const image = new ImageData(columns, rows);
  cells.forEach((cell, i) => {
    const at = 4 * ((rows - 1 - Math.floor(i / columns)) * columns + (i % columns));
    const share = field.of_classes ? dense : 0.05 + (0.5 * (cell - low)) / (high - low || 1);
    const paint = cell === null ? ground : tones[field.of_classes ? cell % COLORS : 0];
    for (let part = 0; part < 3; part++)
      image.data[at + part] = ground[part] * (1 - share) + paint[part] * share;
    image.data[at + 3] = 255;
  });
  canvas.width = columns;
  canvas.height = rows;
  canvas.getContext("2d").putImageData(image, 0, 0);
  const [x, y] = [view.x(box[0]), view.y(box[3])];
  Object.assign(canvas.style, {
    left: `${x}px`,
    top: `${y}px`,
    width: `${view.x(box[2]) - x}px`,
    height: `${view.y(box[1]) - y}px`,
  });
}

const path = (points) =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** A series of a panel; marks are left to the caller. */
export function drawSeries(root, view, series) {
  const points = (series.x ?? [])
    .map((x, i) => [view.x(x), view.y(series.y[i])])
    .filter(([x, y]) => isFinite(x) && isFinite(y));
  const stroke = series.color === undefined ? "var(--ink)" : color(series.color);
  const pairs = () =>
    points.flatMap((one, i) => (i % 2 ? [path([points[i - 1], one])] : [])).join("");
  const draw = (d, given) => root.append(svg("path", { d, fill: "none", stroke, ...given }));
  if (series.style === "segments" || series.style === "arrows")
    draw(pairs(), { "stroke-width": 2 });
  if (series.style === "dashes") draw(pairs(), { "stroke-width": 1.2, "stroke-dasharray": "5 4" });
  if (series.style === "reference")
    draw(path(points), { stroke: "var(--soft)", "stroke-dasharray": "4 4" });
  if (series.style === "line" || series.style === "both") draw(path(points), { "stroke-width": 2 });
  if (series.style === "steps")
    draw(
      path(
        points.flatMap(([x, y], i) =>
          i
            ? [
                [x, points[i - 1][1]],
                [x, y],
              ]
            : [[x, y]],
        ),
      ),
      { "stroke-width": 2 },
    );
  if (series.style === "rings")
    for (const [x, y] of points)
      root.append(svg("circle", { class: "ring", cx: x, cy: y, r: 9.5 }));
}

/** Polygons of classes. */
export function drawRegions(root, view, regions, classes) {
  for (const { corners, class: name } of regions) {
    const number = classes.indexOf(name);
    root.append(
      svg("path", {
        class: "region",
        d: path(corners.map(([x, y]) => [view.x(x), view.y(y)])) + "Z",
        fill: number < 0 ? "none" : color(number),
      }),
    );
  }
}

/**
 * Empties a drawing and draws the axes: {root, view, layer}, layer for the data, cut at the axes.
 */
export function begin(place, box, titles) {
  const { width, height } = place.getBoundingClientRect();
  const view = new View(box, width, height),
    root = place.querySelector("svg");
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.replaceChildren();
  drawAxes(root, view, titles);
  const cut = svg("clipPath", { id: `${place.id}-cut` });
  cut.append(svg("rect", { x: view.left, y: view.top, width: view.width, height: view.height }));
  const layer = svg("g", { "clip-path": `url(#${place.id}-cut)` });
  root.append(cut, layer);
  return { root, view, layer };
}

/** Names of classes with their marks. */
export function legend(place, classes) {
  place.replaceChildren(
    ...classes.map((name, i) => {
      const mark = svg("svg", {
        viewBox: "-8 -8 16 16",
        width: 14,
        height: 14,
        "aria-hidden": "true",
      });
      mark.append(svg("path", { d: shape(i), fill: color(i) }));
      return el("span", { class: "key" }, mark, String(name));
    }),
  );
}
