// Many things in a row or a grid that take one place in the order of Tab; arrow keys move among them.
export function roving(box, selector, columns = () => 1e9) {
  const all = () => [...box.querySelectorAll(selector)];
  box.addEventListener("keydown", (event) => {
    const things = all();
    const here = things.indexOf(event.target.closest(selector));
    if (here < 0) return;
    const wide = columns();
    const next = { ArrowLeft: here - 1, ArrowRight: here + 1, ArrowUp: here - wide, ArrowDown: here + wide, Home: 0, End: things.length - 1 }[event.key];
    if (next === undefined || !things[next]) return;
    event.preventDefault();
    things[next].focus();
  });
  box.addEventListener("focusin", (event) => {
    const thing = event.target.closest(selector);
    if (!thing) return;
    for (const other of all()) other.tabIndex = other === thing ? 0 : -1;
  });
}

// The first of new things is reached by Tab.
export function firstOnly(things) {
  things.forEach((thing, at) => { thing.tabIndex = at ? -1 : 0; });
}
