// Colour scales: the place of a value in one, ink that is read on any of its colours, and small pictures of cells.
import { ask, isDark, make } from "./common.js";

let scales = null;

// Ask for the scales once, before anything is coloured.
export async function loadScales() {
  scales ??= await ask("/api/attention/colours");
}

const hexes = (kind) => scales[isDark() ? "dark" : "light"][kind];

// The colours of a scale (`ramp` or `diverging`) as numbers, for the paper of the page.
export function colours(kind = "ramp") {
  return hexes(kind).map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
}

// A scale as a small bar.
export function scaleBar(kind) {
  const bar = make("span", { class: "scale" });
  bar.style.background = `linear-gradient(to right, ${hexes(kind).filter((_, at) => at % 16 === 0).join()})`;
  return bar;
}

// The place in a scale of a value between `low` and `high`.
export function placeOf(value, low, high, steps) {
  return Math.max(0, Math.min(steps - 1, Math.round(((value - low) / (high - low)) * (steps - 1))));
}

// Black or white, whichever has more contrast on a colour (WCAG 2); one of them always has 4.5 to 1.
export function inkOn(colour) {
  const [red, green, blue] = colour.map((part) => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

// Colour an element, and its text so that it can be read.
export function paint(element, colour) {
  element.style.backgroundColor = `rgb(${colour.join(" ")})`;
  element.style.color = inkOn(colour);
}

const SIDES = {
  light: { better: [11, 98, 164], worse: [190, 90, 20], paper: [255, 255, 255] },
  dark: { better: [116, 185, 242], worse: [255, 160, 100], paper: [29, 32, 37] },
};

// Blue for what is better or speaks for something, orange for what is worse or speaks against it, and what is between.
export const sides = () => SIDES[isDark() ? "dark" : "light"];

// A colour over paper, by its share.
export function mixed(colour, paper, share) {
  return colour.map((part, at) => Math.round(paper[at] + share * (part - paper[at])));
}

// A small picture of cells, one pixel each; a cell that is drawn larger stays a square of one colour.
export function painted(weights, rows, columns, scale, low, high, canvas = document.createElement("canvas")) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const packed = scale.map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red);
  const factor = (scale.length - 1) / (high - low);
  const last = scale.length - 1;
  for (let at = 0; at < rows * columns; at++) {
    const place = ((weights[at] - low) * factor + 0.5) | 0;
    pixels[at] = packed[place < 0 ? 0 : place > last ? last : place];
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
