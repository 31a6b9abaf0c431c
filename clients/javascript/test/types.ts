/** Compiled but never run: checks that the types fit the use of the client. */
import { Accordion, Problem, type Game, type GameState } from '../accordion.js';

export async function play(): Promise<GameState> {
  const client = new Accordion({ base: 'http://127.0.0.1:8000', retries: 2 });
  const game: Game = await client.create({ variant: 'accordion', seed: 42, options: { undo: 'none' } });
  const hint = await game.hint({ budget: 100 });
  if (hint.action?.type === 'move') await game.move(hint.action.from, hint.action.to);
  try {
    return await game.tap(4);
  } catch (error) {
    if (error instanceof Problem && error.code === 'ambiguous-move') {
      const [target] = error.body.targets ?? [];
      if (target !== undefined) return game.move(4, target);
    }
    throw error;
  }
}

export async function look(): Promise<string[]> {
  const client = new Accordion();
  const board = await client.board('daily/2026-11-30', { variant: 'accordion', limit: 10 });
  const rest = await board.next?.();
  const view = await client.watch('abc');
  for await (const state of view.follow()) {
    // @ts-expect-error A watcher's state has no id.
    state.id;
  }
  const svg: string = await view.record({ format: 'svg', after: 3 });
  // @ts-expect-error No such board.
  await client.board('weekly/1');
  const { won, piles } = await client.statistics('2026-11-30');
  const { accuracy, line } = await view.review();
  const { events } = await client.events();
  return [svg, `${won} ${piles.length} ${accuracy}`, ...line, ...events.map(({ name }) => name), ...[...board.entries, ...(rest?.entries ?? [])].map(({ player }) => player)];
}
