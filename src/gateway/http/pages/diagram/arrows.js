// Draws the arrows of the diagram: from a field that leads to another type, to the name of this
// type. The arrows of the type under the mouse, or with the focus, are highlighted.
{
  const diagram = document.querySelector('.diagram');
  const layer = diagram.querySelector('svg g');
  const narrow = matchMedia('(max-width: 900px)');
  const rows = [...diagram.querySelectorAll('[data-arrow]')];

  /** Where an arrow leaves or reaches an element: in the middle of one of its sides. */
  const sideOf = (box, origin, isRight) => ({
    x: (isRight ? box.right : box.left) - origin.left,
    y: box.top + box.height / 2 - origin.top,
    out: isRight ? 1 : -1,
  });

  const curve = (from, to) => {
    const bend = Math.max(28, Math.min(90, Math.abs(to.x - from.x) / 2));
    return `M${from.x} ${from.y}C${from.x + from.out * bend} ${from.y} ${to.x + to.out * bend} ${to.y} ${to.x} ${to.y}`;
  };

  const createArrow = (row, origin) => {
    const source = row.closest('article');
    const target = document.getElementById(row.querySelector('a').hash.slice(1));
    const [start, end] = [source.getBoundingClientRect(), target.getBoundingClientRect()];
    const line = row.getBoundingClientRect();
    const heading = target.querySelector('h2').getBoundingClientRect();
    const place = { left: start.left, right: start.right, top: line.top, height: line.height };
    const goal = { left: end.left, right: end.right, top: heading.top, height: heading.height };
    // Within a column, an arrow leaves and arrives on the same side.
    const isSame = start.left === end.left;
    const isRight = isSame || start.left < end.left;
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    const from = sideOf(place, origin, isRight);
    const to = sideOf(goal, origin, isSame ? true : !isRight);
    path.setAttribute('d', curve(from, to));
    path.setAttribute('marker-end', 'url(#tip)');
    if (row.dataset.arrow === 'both') path.setAttribute('marker-start', 'url(#tip)');
    path.dataset.of = `${source.id} ${target.id}`;
    return path;
  };

  const draw = () => {
    const origin = diagram.getBoundingClientRect();
    layer.replaceChildren(...(narrow.matches ? [] : rows.map((row) => createArrow(row, origin))));
  };

  const highlight = (target) => {
    const type = target?.closest?.('article')?.id;
    for (const path of layer.children) {
      path.classList.toggle('active', path.dataset.of.split(' ').includes(type));
    }
  };

  const sizes = new ResizeObserver(draw);
  for (const element of [diagram, ...diagram.querySelectorAll('article')]) sizes.observe(element);
  diagram.addEventListener('mouseover', ({ target }) => highlight(target));
  diagram.addEventListener('mouseleave', () => highlight());
  diagram.addEventListener('focusin', ({ target }) => highlight(target));
}
