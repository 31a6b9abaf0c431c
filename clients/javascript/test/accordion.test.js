import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { Accordion, Problem, Unreachable } from '../accordion.js';
import { startProxy, startService } from './service.js';

let service, proxy, pauses;
/** A client that records its pauses instead of waiting. */
const connect = (options) => {
  pauses = [];
  return new Accordion({ base: proxy.url, pause: async (ms) => void pauses.push(ms), ...options });
};

before(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
});
after(async () => {
  await proxy.stop();
  await service.stop();
});
beforeEach(() => Object.assign(proxy, { lose: 0, answers: [], seen: [] }));

const problem = (code) => (error) => error instanceof Problem && error.code === code;

test('a game is created, played, undone, redone and finished', async () => {
  const game = await connect().create({ variant: 'accordion', seed: 42, player: 'Ada' });
  assert.equal(game.state.seed, '42');
  assert.deepEqual(game.state.row.slice(12, 14), ['TD', 'TH']);
  await game.move(13, 12);
  assert.deepEqual(game.state.row.slice(11, 14), ['5H', 'TH', '8C']);
  assert.equal(game.state.heights[12], 2);
  await game.tap(9);
  assert.equal(game.state.row.length, 50);
  await game.undo(2);
  assert.equal(game.state.row.length, 52);
  await game.redo('all');
  assert.equal(game.state.row.length, 50);
  await game.batch([{ from: 2, to: 1 }]);
  assert.equal(game.state.moves, 3);
  const state = await game.finish();
  assert.equal(state.status, 'ended');
  assert.equal(game.over, true);
  await assert.rejects(game.move(2, 1), problem('game-over'));
});

test('a tap with two targets names both', async () => {
  const game = await connect().create({ seed: '42' });
  await assert.rejects(game.tap(4), (error) => {
    assert.equal(error.code, 'ambiguous-move');
    assert.equal(error.status, 409);
    assert.deepEqual(error.body.targets, [1, 3]);
    return true;
  });
});

test('a refused move gives its reason', async () => {
  const game = await connect().create({ seed: '42' });
  await assert.rejects(game.move(5, 4), (error) => error.body.reason === 'no-match');
  assert.equal(game.state.version, 1);
});

test('of two calls at once the second is refused, and the state is current', async () => {
  const game = await connect().create({ seed: '42' });
  const [first, second] = await Promise.allSettled([game.move(13, 12), game.move(13, 12)]);
  assert.equal([first, second].filter(({ status }) => status === 'rejected').length, 1);
  const refused = [first, second].find(({ status }) => status === 'rejected');
  assert.equal(refused.reason.code, 'version-mismatch');
  assert.equal(game.state.version, 2);
  assert.equal(game.state.moves, 1);
});

test('a hint is a legal action and leaves the game writable', async () => {
  const game = await connect().create({ seed: '42' });
  const { action, verdict, reason } = await game.hint({ budget: 200 });
  assert.ok(game.state.legal_moves.some(({ from, to }) => from === action.from && to === action.to));
  assert.match(verdict, /^(winnable|unknown)$/);
  assert.ok(reason.text);
  assert.equal(game.state.hints_used, 1);
  await game.move(action.from, action.to);
  assert.equal(game.state.moves, 1);
});

test('the stock is dealt', async () => {
  const game = await connect().create({ variant: 'royal-marriage' });
  assert.deepEqual(game.state.row, ['QH']);
  await game.deal();
  await game.deal(3);
  assert.equal(game.state.row.length, 5);
  await game.deal('all');
  assert.equal(game.state.stock, 0);
  await assert.rejects(game.deal(), problem('stock-empty'));
});

test('a lost answer is fetched with the same key and nothing is done twice', async () => {
  const game = await connect().create({ seed: '42' });
  proxy.seen = [];
  proxy.lose = 2;
  await game.move(13, 12);
  assert.equal(game.state.moves, 1);
  assert.equal(game.state.version, 2);
  const keys = new Set(proxy.seen.map(({ headers }) => headers['idempotency-key']));
  assert.equal(proxy.seen.length, 3);
  assert.equal(keys.size, 1);
  assert.equal(pauses.length, 2);
});

test('a lost answer to a creation makes one game', async () => {
  proxy.lose = 1;
  const game = await connect().create({ seed: '42' });
  assert.equal(new Set(proxy.seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
  assert.equal(game.state.version, 1);
});

test('Retry-After decides the pause; without it the pauses grow', async () => {
  const client = connect();
  const busy = { status: 503, headers: { 'Content-Type': 'application/problem+json' } };
  const body = JSON.stringify({ type: '/problems/store-unavailable', status: 503 });
  proxy.answers = [
    { ...busy, headers: { ...busy.headers, 'Retry-After': '3' }, body },
    { ...busy, body },
    { ...busy, body },
  ];
  await client.variants();
  assert.equal(pauses[0], 3000);
  assert.ok(pauses[1] >= 250 && pauses[1] <= 500, pauses[1]);
  assert.ok(pauses[2] >= 500 && pauses[2] <= 1000, pauses[2]);
});

test('it gives up after its retries, and says why', async () => {
  const told = [];
  const client = connect({ retries: 2, onRetry: (error, attempt) => told.push([error.name, attempt]) });
  proxy.lose = 3;
  await assert.rejects(client.variants(), Unreachable);
  assert.deepEqual(told, [
    ['Unreachable', 1],
    ['Unreachable', 2],
  ]);
});

test('a raw POST without a key is not sent again', async () => {
  proxy.lose = 1;
  await assert.rejects(connect().request('POST', 'games', { body: {} }), Unreachable);
  assert.equal(proxy.seen.length, 1);
});

test('an error without a problem document is a problem all the same', async () => {
  proxy.answers = [{ status: 418, headers: { 'Content-Type': 'text/html' }, body: '<h1>no</h1>' }];
  await assert.rejects(connect().variants(), (error) => error.code === 'http-418' && error.status === 418);
});

test('a game is resumed, and asked for only when it has changed', async () => {
  const client = connect();
  const game = await client.create({ seed: '42' });
  const again = await client.resume(game.id);
  assert.equal(await again.refresh(), false);
  await game.move(13, 12);
  assert.equal(await again.refresh(), true);
  assert.equal(again.state.version, 2);
});

test('a watcher follows a game and cannot see its id', async () => {
  const client = connect();
  const game = await client.create({ seed: '42' });
  const view = await client.watch(game.state.watch_id);
  assert.equal(view.state.id ?? null, null);
  const states = view.follow({ every: 1 });
  assert.equal((await states.next()).value.moves, 0);
  await game.move(13, 12);
  assert.equal((await states.next()).value.moves, 1);
  await game.finish();
  assert.equal((await states.next()).value.status, 'ended');
  assert.equal((await states.next()).done, true);
});

test('an aborted call rejects and is not sent again', async () => {
  const controller = new AbortController();
  const client = connect({ pause: async () => controller.abort() });
  proxy.lose = 5;
  await assert.rejects(client.variants({ signal: controller.signal }), { name: 'AbortError' });
  assert.equal(proxy.seen.length, 1);
});

test('a record replays to the same row', async () => {
  const client = connect();
  const game = await client.create({ seed: '42' });
  await game.move(13, 12);
  const record = await game.record();
  assert.deepEqual(record.actions, ['13-12']);
  const replay = await client.replay(record);
  assert.equal(replay.valid, true);
  assert.deepEqual(replay.row, game.state.row);
});

test('deals, the daily, analysis, legal moves and rules', async () => {
  const client = connect();
  const deal = await client.deal({ seed: '42' });
  assert.equal(deal.cards[0], '8H');
  const daily = await client.daily();
  assert.equal(daily.date, new Date(client.now()).toISOString().slice(0, 10));
  const row = ['4S', '7H', 'QC', '4D', 'KD'];
  assert.equal((await client.analysis({ variant: 'accordion', row })).verdict, 'unwinnable');
  const { legal_moves } = await client.legalMoves({ variant: 'accordion', row });
  assert.deepEqual(legal_moves, [
    { from: 3, to: 0 },
    { from: 4, to: 3 },
  ]);
  assert.equal((await client.variants()).length, 11);
  assert.equal((await client.variant('idle-year')).key, 'accordion');
});

test('a deleted game is gone; a lost answer to the deletion is no error', async () => {
  const client = connect();
  const game = await client.create();
  proxy.lose = 1;
  await game.delete();
  await assert.rejects(client.resume(game.id), problem('game-not-found'));
});

test('a board page leads to the next one', async () => {
  const json = { 'Content-Type': 'application/json' };
  const page = (names, headers = {}) => ({
    status: 200,
    headers: { ...json, ...headers },
    body: JSON.stringify({ entries: names.map((player) => ({ player })) }),
  });
  proxy.answers = [
    page(['Ada'], { Link: '</v1/leaderboards/all-time?limit=1&cursor=abc>; rel="next"' }),
    page(['Bea']),
  ];
  const first = await connect().board('all-time', { limit: 1 });
  const second = await first.next();
  assert.equal(second.entries[0].player, 'Bea');
  assert.equal(second.next, null);
  assert.equal(proxy.seen[1].path, '/v1/leaderboards/all-time?limit=1&cursor=abc');
});

test('a path before /v1 is kept, and Node needs an address', () => {
  assert.equal(new Accordion({ base: 'https://example.org/games' }).root, 'https://example.org/games/v1/');
  assert.throws(() => new Accordion(), TypeError);
});

test('it is small', async () => {
  const source = await readFile(new URL('../accordion.js', import.meta.url));
  assert.ok(gzipSync(source).length < 6000);
});
