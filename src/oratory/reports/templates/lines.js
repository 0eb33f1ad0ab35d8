export const WINDOW = 60; // tokens that lines are drawn between at once
const LEAST = 0.01; // a weight below this has no line

// The first token of the window: it stays where it was while the cursor is inside, so that nothing moves under a pointer.
export function windowFrom(before, cursor, length) {
  const inside = before !== undefined && cursor >= before && cursor < before + WINDOW;
  return Math.max(0, Math.min(length - WINDOW, inside ? before : cursor - WINDOW / 2));
}

// Lines between two columns of tokens: from a query on the left to the keys on the right, the thicker the more weight.
// The saved page of maps has this file inside, and the attention explorer imports it. `weight(query, key)` may be null.
export function drawLines(context, { from, until, y, left, right, colour, alone, weight }) {
  context.save();
  context.strokeStyle = colour;
  context.lineCap = "round";
  for (let query = from; query < until; query++) {
    for (let key = from; key < until; key++) {
      const found = weight(query, key);
      if (!found || found < LEAST) continue;
      context.globalAlpha = Math.min(1, 0.15 + found) * (alone === undefined || alone === query ? 1 : 0.12);
      context.lineWidth = 0.6 + 7 * found;
      context.beginPath();
      context.moveTo(left, y(query));
      context.bezierCurveTo((left + right) / 2, y(query), (left + right) / 2, y(key), right, y(key));
      context.stroke();
    }
  }
  context.restore();
}
