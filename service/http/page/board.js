/** The row of piles: cards as buttons, their movement, their marks, taps, drags and keys. */
import { drawArcs } from './arcs.js';
import { face, picture } from './faces.js';
import { leaving, ordered, targetsOf } from './rules.js';

const DRAG_FROM = 8;
const DOUBLE_TAP = { milliseconds: 350, pixels: 14 };
const STILL = matchMedia('(prefers-reduced-motion: reduce)');

const edgesOf = (height) => Math.min(4, Math.ceil(Math.log2(height)));

export class Board {
  /** `describe(state, position)` names a pile; `play(from, to)`, `deal()` and `say(key)` act. */
  constructor({ row, arcs, ghosts, describe, play, deal, say }) {
    Object.assign(this, { row, arcs, ghosts, describe, play, deal, say });
    this.cards = new Map();
    this.focused = 0;
    this.selected = null;
    this.lastTap = null;
    this.stock = document.createElement('button');
    Object.assign(this.stock, { type: 'button', className: 'card stock', tabIndex: -1 });
    this.stock.append(Object.assign(document.createElement('b'), { className: 'count' }));
    row.addEventListener('click', (event) => this.#click(event));
    row.addEventListener('pointerdown', (event) => this.#press(event));
    row.addEventListener('pointerover', (event) => this.#hover(event));
    row.addEventListener('pointerleave', () => this.#light(this.selected));
    row.addEventListener('focusin', (event) => this.#focus(event));
    row.addEventListener('focusout', () => this.#light(this.selected));
    row.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#light(this.selected)).observe(row);
  }

  /** Show a state; cards go there from where they lie now. */
  show(state, variant, { live = true, animate = true } = {}) {
    const old = this.state;
    const changed = String(old?.row) !== String(state.row);
    const before = animate && changed && !STILL.matches ? this.#places() : null;
    const hadFocus = this.row.contains(document.activeElement);
    Object.assign(this, { state, variant, live });
    if (changed) this.selected = this.hint = null;
    this.#arrange();
    this.#mark();
    if (before) this.#animate(before, old);
    this.focused = Math.min(this.focused, Math.max(0, state.row.length - 1));
    this.#roving();
    if (hadFocus) this.#current()?.focus({ preventScroll: true });
    this.#light(this.selected);
  }

  /** Mark what a hint says to do. */
  showHint(action) {
    this.hint = action;
    this.#light(null);
    this.stock.classList.toggle('hinted', action?.type === 'deal');
  }

  focus(position = this.focused) {
    this.focused = position;
    this.#roving();
    this.#current()?.focus();
  }

  cancel() {
    this.selected = null;
    this.#light(null);
  }

  // --- elements

  #element(card) {
    let element = this.cards.get(card);
    if (!element) {
      element = document.createElement('button');
      Object.assign(element, { type: 'button', className: 'card', tabIndex: -1 });
      element.dataset.suit = card[1];
      element.dataset.card = card;
      element.append(...face(card));
      this.cards.set(card, element);
    }
    return element;
  }

  at(position) {
    return this.cards.get(this.state.row[position]);
  }

  positionOf(element) {
    const card = element?.closest?.('.card')?.dataset.card;
    return card ? this.state.row.indexOf(card) : -1;
  }

  #current() {
    return this.at(this.focused) ?? (this.stock.isConnected ? this.stock : null);
  }

  #arrange() {
    const { row, stock, can_deal: canDeal } = this.state;
    const wanted = row.map((card) => this.#element(card));
    if (stock > 0) wanted.push(this.stock);
    for (const child of [...this.row.children]) if (!wanted.includes(child)) child.remove();
    wanted.forEach((element, i) => {
      if (this.row.children[i] !== element) this.row.insertBefore(element, this.row.children[i] ?? null);
    });
    this.stock.querySelector('.count').textContent = stock;
    this.stock.classList.toggle('one', stock === 1);
    this.stock.disabled = !canDeal || !this.live;
  }

  #mark() {
    const { row, heights, last_action: last } = this.state;
    const [to, gap] = this.#lastPlaces(last);
    row.forEach((card, position) => {
      const element = this.cards.get(card);
      const height = heights[position];
      const movable = this.live && targetsOf(this.state, this.variant, position).length > 0;
      element.classList.toggle('movable', movable);
      element.classList.toggle('last', position === to);
      element.classList.toggle('gap', position === gap);
      element.dataset.edges = height > 1 ? edgesOf(height) : 0;
      this.#count(element, height);
      element.setAttribute('aria-label', this.describe(this.state, position));
      element.setAttribute('aria-disabled', !movable);
    });
  }

  /** Where the pile that was moved last lies, and where the row closed up. */
  #lastPlaces(last) {
    if (last?.type === 'deal') return [this.state.row.length - 1];
    if (last?.type !== 'move' || last.to === undefined) return [];
    const { from, to } = last;
    if (this.variant.effect === 'stack') return from > to ? [to, from] : [to - 1, from];
    return [undefined, leaving(last, this.variant)[0]];
  }

  #count(element, height) {
    let badge = element.querySelector('.count');
    if (height < 2) {
      badge?.remove();
      return;
    }
    if (!badge) element.append((badge = Object.assign(document.createElement('b'), { className: 'count' })));
    badge.textContent = height;
  }

  // --- movement

  #places() {
    const origin = this.row.getBoundingClientRect();
    const places = new Map();
    for (const [card, element] of this.cards) {
      if (!element.isConnected) continue;
      const { left, top, width } = element.getBoundingClientRect();
      places.set(card, { x: left - origin.left, y: top - origin.top, width });
    }
    places.stock = this.stock.isConnected && { x: this.stock.offsetLeft, y: this.stock.offsetTop };
    return places;
  }

  #animate(before, old) {
    const last = this.state.last_action;
    const mover = last?.type === 'move' && this.variant.effect === 'stack' && old?.row[last.from];
    for (const [card, from] of before) {
      const element = this.cards.get(card);
      if (element.isConnected) this.#slide(element, from, card === mover);
      else this.#fade(element, from);
    }
    for (const card of this.state.row) {
      if (!before.has(card)) this.#enter(this.cards.get(card), before.stock);
    }
  }

  #slide(element, from, lifted) {
    const [dx, dy] = [from.x - element.offsetLeft, from.y - element.offsetTop];
    if (Math.abs(dx) < 1 && Math.abs(dy) < 1) return;
    const wraps = Math.abs(dy) > 5 && !lifted;
    const side = dy > 0 ? 1 : -1;
    const start = wraps
      ? { transform: `translateX(${side * element.offsetWidth * 0.7}px)`, opacity: 0 }
      : { transform: `translate(${dx}px, ${dy}px)`, zIndex: lifted ? 30 : 1 };
    const middle = lifted && { transform: `translate(${dx / 2}px, ${dy / 2 - 14}px) scale(1.05)`, zIndex: 30 };
    const end = { transform: 'none', opacity: 1, zIndex: lifted ? 30 : 1 };
    if (lifted) for (const frame of [start, middle, end]) frame.pointerEvents = 'none';
    element.animate([start, middle, end].filter(Boolean), { duration: lifted ? 260 : 200, easing: 'cubic-bezier(.25,.7,.3,1)' });
  }

  /** A card that is covered or leaves stays a moment, as a picture. */
  #fade(element, { x, y, width }) {
    const ghost = picture(element.dataset.card);
    ghost.classList.add('ghost');
    Object.assign(ghost.style, { left: `${x}px`, top: `${y}px`, width: `${width}px` });
    this.ghosts.append(ghost);
    const covered = this.variant.effect === 'stack';
    const frames = covered ? { opacity: [1, 1, 0] } : { opacity: [1, 0], transform: ['none', 'translateY(-18px) scale(.9)'] };
    ghost.animate(frames, { duration: 260, easing: 'ease-out' }).finished.finally(() => ghost.remove());
  }

  #enter(element, stock) {
    if (!stock) return;
    const [dx, dy] = [stock.x - element.offsetLeft, stock.y - element.offsetTop];
    element.animate(
      [{ transform: `translate(${dx}px, ${dy}px) rotateY(90deg)` }, { transform: 'none' }],
      { duration: 240, easing: 'ease-out' },
    );
  }

  // --- light: the targets of a pile, or what a hint says

  #targets(position) {
    return this.live && position >= 0 ? targetsOf(this.state, this.variant, position) : [];
  }

  #light(position) {
    if (!this.state) return;
    this.row.classList.toggle('choosing', this.selected !== null);
    for (const element of this.row.querySelectorAll('.selected, .target, .leaving, .hinted')) {
      element.classList.remove('selected', 'target', 'leaving', 'hinted');
      element.setAttribute('aria-disabled', !element.classList.contains('movable'));
    }
    const hint = position == null && this.hint?.type === 'move' ? this.hint : null;
    const from = hint ? hint.from : position;
    const targets = hint ? [hint.to] : this.#targets(from ?? -1);
    drawArcs(
      this.arcs,
      this.row,
      from != null && this.at(from) && { position: from, element: this.at(from) },
      targets.filter((target) => target !== from).map((target) => ({ position: target, element: this.at(target) })),
    );
    for (const layer of [this.arcs, this.ghosts]) layer.style.left = `${this.row.offsetLeft}px`;
    if (this.hint?.type === 'deal') this.stock.classList.add('hinted');
    if (from == null) return;
    if (hint) this.at(from)?.classList.add('hinted');
    if (this.selected === from) this.at(from)?.classList.add('selected');
    for (const target of targets) {
      this.at(target).classList.add('target');
      this.at(target).setAttribute('aria-disabled', false);
    }
    this.#lightLeaving(from, targets);
  }

  #lightLeaving(from, targets) {
    if (this.variant.effect === 'stack' || targets.length !== 1) return;
    for (const position of leaving(ordered(from, targets[0], this.variant), this.variant)) {
      this.at(position)?.classList.add('leaving');
    }
  }

  #hover(event) {
    if (event.pointerType === 'touch' || this.drag || this.selected !== null) return;
    const position = this.positionOf(event.target);
    this.#light(this.#targets(position).length ? position : null);
  }

  #focus(event) {
    const position = this.positionOf(event.target);
    if (position < 0) return;
    this.focused = position;
    this.#roving();
    if (this.selected !== null || !event.target.matches(':focus-visible')) return;
    this.#light(this.#targets(position).length ? position : null);
  }

  #roving() {
    for (const element of this.cards.values()) element.tabIndex = -1;
    const current = this.#current();
    if (current) current.tabIndex = 0;
  }

  // --- taps

  #click(event) {
    if (this.justDragged) return;
    const onStock = event.target.closest('.stock');
    if (!onStock && this.#isEcho(event)) return;
    if (onStock) this.deal();
    else this.tap(this.positionOf(event.target), event);
  }

  /** The second half of a double tap falls on the card that closed the gap: it means nothing. */
  #isEcho({ timeStamp, clientX, clientY, detail }) {
    const last = this.lastTap;
    if (!last || detail === 0) return false;
    const near = Math.hypot(clientX - last.clientX, clientY - last.clientY) < DOUBLE_TAP.pixels;
    return near && timeStamp - last.timeStamp < DOUBLE_TAP.milliseconds;
  }

  tap(position, event) {
    if (!this.live || position < 0) return;
    if (this.selected !== null) {
      const from = this.selected;
      const chosen = this.#targets(from).includes(position);
      this.cancel();
      if (chosen) return this.#make(from, position, event);
      if (from === position) return;
    }
    const targets = this.#targets(position);
    if (targets.length === 1) this.#make(position, targets[0], event);
    else if (targets.length > 1) this.#select(position, targets, event);
    else this.say('stays', position);
  }

  #select(position, targets, event) {
    this.selected = position;
    this.#light(position);
    this.say('choose', position, targets);
    if (!event || event.detail === 0) this.focus(targets.at(-1));
  }

  #make(from, to, event) {
    if (event?.timeStamp) this.lastTap = event;
    const move = ordered(from, to, this.variant);
    this.focused = Math.min(from, to);
    this.play(move.from, move.to);
  }

  // --- drags

  #press(event) {
    this.justDragged = false;
    const from = this.positionOf(event.target);
    if (!event.isPrimary || event.button !== 0 || !this.#targets(from).length) return;
    const element = this.at(from);
    const { clientX, clientY } = event;
    const stop = new AbortController();
    const { signal } = stop;
    const follow = (moved) => {
      const [dx, dy] = [moved.clientX - clientX, moved.clientY - clientY];
      if (!this.drag && Math.hypot(dx, dy) < DRAG_FROM) return;
      if (!this.drag) this.#lift(element, from, moved.pointerId);
      element.style.transform = `translate(${dx}px, ${dy}px)`;
      this.#aim(moved);
    };
    const end = (ended) => {
      stop.abort();
      if (this.drag) this.#drop(element, from, ended.type === 'pointerup');
    };
    addEventListener('pointermove', follow, { signal });
    addEventListener('pointerup', end, { signal });
    addEventListener('pointercancel', end, { signal });
  }

  #lift(element, from) {
    this.drag = { target: null };
    this.selected = from;
    this.#light(from);
    element.classList.add('dragging');
  }

  #aim({ clientX, clientY }) {
    const under = this.positionOf(document.elementFromPoint(clientX, clientY));
    const target = this.#targets(this.selected).includes(under) ? under : null;
    this.at(this.drag.target)?.classList.remove('drop');
    this.at(target)?.classList.add('drop');
    this.drag.target = target;
  }

  #drop(element, from, released) {
    const { target } = this.drag;
    this.drag = null;
    this.selected = null;
    this.justDragged = true;
    setTimeout(() => (this.justDragged = false));
    if (released && target !== null) {
      this.at(target).classList.remove('drop');
      this.#make(from, target);
    }
    element.classList.remove('dragging');
    element.style.transform = '';
    this.#light(null);
  }

  // --- keys

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = this.#step(event.key);
    // A key that is held down plays once.
    if (event.repeat && ['Enter', ' '].includes(event.key)) return event.preventDefault();
    if (event.key === 'Escape' && this.selected !== null) {
      const from = this.selected;
      this.cancel();
      this.focus(from);
    } else if (step !== undefined) this.#go(step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step(key) {
    const columns = getComputedStyle(this.row).gridTemplateColumns.split(' ').length;
    return { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -Infinity, End: Infinity }[key];
  }

  /** Go along the row, or, while a target is to be chosen, along the targets. */
  #go(step) {
    const targets = this.selected === null ? null : this.#targets(this.selected);
    if (targets) {
      const next = targets.indexOf(this.focused) + Math.sign(step);
      return this.focus(targets[Math.max(0, Math.min(targets.length - 1, next))]);
    }
    const last = this.state.row.length - 1;
    const wanted = this.focused + step;
    if (Math.abs(step) > 1 && Number.isFinite(step) && (wanted < 0 || wanted > last)) return;
    this.focus(Math.max(0, Math.min(last, wanted)));
  }
}
