// Maps as files: what the canvases show as PNG, and what the command line writes as SVG, CSV or HTML.
import { askBytes, download, make } from "./common.js";

// `asked` says which model and text; the canvases are side by side in the PNG.
export async function save(kind, { name, asked, layer, head, canvases }) {
  const one = `attention-${name}-layer-${layer}-head-${head}`;
  if (kind === "png") {
    sheetOf(canvases).toBlob((blob) => download(`${one}.png`, blob));
    return;
  }
  const body = { ...asked, ...(kind === "html" ? {} : { layer, head }), kind };
  const bytes = await askBytes("/api/attention/file", body);
  download(`${kind === "html" ? `attention-${name}` : one}.${kind}`, new Blob([bytes]));
}

function sheetOf(canvases) {
  const sheet = make("canvas");
  sheet.width = canvases.reduce((sum, canvas) => sum + canvas.width, 0);
  sheet.height = Math.max(...canvases.map((canvas) => canvas.height));
  const context = sheet.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, sheet.width, sheet.height);
  canvases.reduce((left, canvas) => { context.drawImage(canvas, left, 0); return left + canvas.width; }, 0);
  return sheet;
}
