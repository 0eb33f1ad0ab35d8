// What is on the page of attention by hand: keys, values and queries, what attention gives, and what may be moved.

export const DEFAULTS = {
  keys: "[[0.9,0.3],[0.2,0.9],[-0.8,0.5],[-0.2,-0.8]]",
  values: "[[0.8,0.8],[-0.8,0.7],[-0.7,-0.7],[0.8,-0.6]]",
  queries: "[[1,0.6]]",
  wanted: "0",
  exercise: "",
  scale: false,
  across: 0,
  up: 1,
};

export const state = { keys: [], values: [], queries: [[0, 0]], row: 0, wanted: new Set([0]), exercise: null, scale: false, across: 0, up: 1, moves: "query", certificate: null, exercises: [] };

const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
export const length = (a) => Math.hypot(...a);
export const query = () => state.queries[state.row];

export function attention() {
  const factor = state.scale ? state.keys[0].length ** -0.5 : 1;
  const scores = state.keys.map((key) => factor * dot(key, query()));
  const top = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - top));
  const total = raised.reduce((sum, value) => sum + value, 0);
  const weights = raised.map((value) => value / total);
  const output = state.values[0].map((_, at) => dot(weights, state.values.map((value) => value[at])));
  return { scores, weights, output };
}

// What may be moved.
export const exercise = () => (state.exercise === null ? null : state.exercises[state.exercise]);
export const movesKey = (at) => !exercise() || exercise().replaced === at;
export const movesQuery = () => !exercise() || exercise().replaced === null;

// Points on a circle.
export function spread(count, size = 2) {
  return Array.from({ length: count }, (_, at) => {
    const angle = (2 * Math.PI * at) / count + 0.6;
    return Array.from({ length: size }, (_none, d) => (d === 0 ? Number(Math.cos(angle).toFixed(2)) : d === 1 ? Number(Math.sin(angle).toFixed(2)) : 0));
  });
}
