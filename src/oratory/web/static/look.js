// How the page looks, before anything is drawn: colours and type as they were chosen last.
// Not a module: a module would run after the first drawing, and the page would flash.
(() => {
  const root = document.documentElement;
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (kept("present") === "on") root.dataset.present = "on";
})();
