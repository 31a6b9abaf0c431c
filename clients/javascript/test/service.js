/** A real service for the tests: the one at ACCORDION_URL, otherwise one that is started here. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../../.venv/bin/accordion', import.meta.url));

/** Start a service; resolves to its URL and a function that stops it. */
export async function startService() {
  if (process.env.ACCORDION_URL) return { url: process.env.ACCORDION_URL, stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'acc'));
  const settings = { ACCORDION_PORT: '0', ACCORDION_WORKERS: '1', ACCORDION_DATA_DIR: folder };
  const server = spawn(COMMAND, ['serve'], { env: { ...process.env, ...settings } });
  const url = await new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk) => {
      output += chunk;
      const ready = /ready: (http:\S+)/.exec(output);
      if (ready) resolve(ready[1]);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', () => reject(new Error(output)));
  });
  const stop = async () => {
    server.kill();
    await new Promise((resolve) => server.on('exit', resolve));
    await rm(folder, { recursive: true });
  };
  return { url, stop };
}

/** A proxy that loses the next responses of a service, or responds in its place. */
export async function startProxy(target) {
  const proxy = { lose: 0, answers: [], seen: [] };
  const server = createServer((incoming, outgoing) => {
    proxy.seen.push({ method: incoming.method, path: incoming.url, headers: incoming.headers });
    const instead = proxy.answers.shift();
    if (instead) {
      outgoing.writeHead(instead.status, instead.headers).end(instead.body);
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      if (proxy.lose > 0) {
        proxy.lose -= 1;
        answer.resume().on('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  proxy.stop = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return proxy;
}
