// Every table and picture of a view can be kept as a file: tables as CSV, drawings as SVG, canvases as PNG.
// Maps have files of their own, which the attention view saves.
import { byId, calmly, download, fail, make } from "./common.js";

const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linejoin", "opacity", "paint-order", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

const nameOf = (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60).replace(/^-+|-+$/g, "") || "oratory";

// Rows of cells as CSV. What a spreadsheet would take for a formula has a quote before it.
export function csvOf(rows) {
  const cell = (text) => {
    const plain = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.]+%?( [+-]?[\d.]+)*$/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return `${rows.map((row) => row.map((text) => cell(String(text))).join(",")).join("\n")}\n`;
}

function cellsOf(row) {
  return [...row.cells].filter((cell) => !cell.hidden).map((cell) => {
    const fields = [...cell.querySelectorAll("input:not([type=checkbox])")].map((field) => field.value);
    const text = fields.length ? fields.join(" ") : cell.textContent.trim();
    return cell.classList.contains("figure") ? numberOf(text) : text;
  });
}

// A number as programs read it, and nothing for a missing one; as in the reports.
function numberOf(text) {
  if (text === "–") return "";
  const plain = text.replaceAll("−", "-");
  return /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?%?$/.test(plain) ? plain.replaceAll(",", "") : plain;
}

// A drawing as a file: the styles of the page become attributes, because the file does not have them.
function svgOf(drawn) {
  const copy = drawn.cloneNode(true);
  const [from, to] = [drawn, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, at) => {
    if (element.closest("defs")) return; // It looks as the place says that uses it.
    const style = getComputedStyle(element);
    for (const name of DRAWN) to[at].setAttribute(name, style.getPropertyValue(name));
    to[at].removeAttribute("class");
    to[at].removeAttribute("tabindex");
  });
  const box = drawn.getBoundingClientRect();
  Object.entries({ xmlns: "http://www.w3.org/2000/svg", width: box.width, height: box.height, color: getComputedStyle(drawn).color }).forEach(([name, value]) => copy.setAttribute(name, value));
  return new XMLSerializer().serializeToString(copy);
}

async function saveFigure(figure, name) {
  const [drawn, image, canvas] = ["svg", "img", "canvas"].map((kind) => figure.querySelector(kind));
  if (drawn) download(`${name}.svg`, svgOf(drawn), "image/svg+xml");
  else if (image) download(`${name}.svg`, await (await fetch(image.src)).blob());
  else if (canvas) canvas.toBlob((blob) => download(`${name}.png`, blob));
}

function button(kind, title, act) {
  return make("button", { type: "button", class: "keep", "aria-label": `Save as ${kind}: ${title}`, onclick: () => act(nameOf(title)) }, kind);
}

function addTo(caption, made) {
  if (!caption.querySelector(".keep")) caption.append(" ", made(caption.textContent.trim()));
}

function add() {
  for (const table of document.querySelectorAll("main table:has(> caption)")) {
    const save = (name) => download(`${name}.csv`, csvOf([...table.rows].map(cellsOf)), "text/csv;charset=utf-8");
    addTo(table.caption, (title) => button("CSV", title, save));
  }
  for (const figure of document.querySelectorAll("main figure:has(svg, img:not([hidden]), canvas):not(.maps figure)")) {
    const caption = figure.querySelector("figcaption");
    const kind = figure.querySelector("svg, img") ? "SVG" : "PNG";
    if (caption?.textContent.trim()) addTo(caption, (title) => button(kind, title, (name) => saveFigure(figure, name).catch(fail)));
  }
}

add();
new MutationObserver(calmly(add)).observe(byId("main"), { childList: true, subtree: true });
