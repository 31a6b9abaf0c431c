/** A client for the Accordion service, for browsers and Node. Its types are in accordion.d.ts. */

/** An error response, a problem document (RFC 9457). `code` is the last part of its type. */
export class Problem extends Error {
  constructor(status, body, headers) {
    super(body.detail || body.title || `HTTP ${status}`);
    this.name = 'Problem';
    this.status = status;
    this.code = String(body.type ?? '').split('/').pop() || `http-${status}`;
    this.body = body;
    this.retryAfter = secondsToWait(headers.get('Retry-After'));
    this.requestId = headers.get('X-Request-ID');
  }
}

/** No response after all retries. `cause` is the error of the last attempt. */
export class Unreachable extends Error {
  constructor(cause) {
    super('The service cannot be reached.', { cause });
    this.name = 'Unreachable';
  }
}

const OURS = import.meta.url.startsWith('http') ? new URL('..', import.meta.url).href : undefined;
const PASSING = [429, 502, 503, 504];

export class Accordion {
  constructor({
    base = OURS,
    key,
    language,
    retries = 4,
    timeout = 15_000,
    fetch = (...args) => globalThis.fetch(...args),
    pause = wait,
    onRetry,
  } = {}) {
    if (!base) throw new TypeError('Name the address of the service: new Accordion({ base }).');
    const root = new URL(base, globalThis.location?.href);
    Object.assign(this, { key, language, retries, timeout, fetch, pause, onRetry });
    this.root = new URL('v1/', root.href.replace(/\/?$/, '/')).href;
    this.clockOffset = 0;
  }

  /** The server's time in milliseconds since 1970, by the last response. */
  now() {
    return Date.now() + this.clockOffset;
  }

  variants(options) {
    return this.#get('variants', {}, options).then((answer) => answer.variants);
  }

  variant(key, options) {
    return this.#get(`variants/${encodeURIComponent(key)}`, {}, options);
  }

  deal(query, options) {
    return this.#get('deals', query, options);
  }

  daily(date, query, options) {
    return this.#get(date ? `deals/daily/${date}` : 'deals/daily', query, options);
  }

  statistics(date, query, options) {
    return this.#get(`deals/daily/${date}/statistics`, query, options);
  }

  /** A page of a board; `next` gets the page after it, and is null on the last one. */
  board(name, query = {}, options) {
    return this.#page(`leaderboards/${name}`, query, options);
  }

  player(name, options) {
    return this.#get(`players/${encodeURIComponent(name)}`, {}, options);
  }

  playerGames(name, query = {}, options) {
    return this.#page(`players/${encodeURIComponent(name)}/games`, query, options);
  }

  events(query = {}, options) {
    return this.#page('events', query, options);
  }

  event(id, options) {
    return this.#get(`events/${encodeURIComponent(id)}`, {}, options);
  }

  legalMoves(body, options) {
    return this.#ask('legal-moves', body, options);
  }

  analysis(body, options) {
    return this.#ask('analysis', body, options);
  }

  replay(record, options) {
    return this.#ask('replays', record, options);
  }

  async create(body = {}, options = {}) {
    const answer = await this.request('POST', 'games', { idempotent: true, ...options, body });
    return new Game(this, answer);
  }

  async resume(id, options) {
    return new Game(this, await this.request('GET', `games/${encodeURIComponent(id)}`, options));
  }

  async watch(watchId, options) {
    const path = `watch/${encodeURIComponent(watchId)}`;
    return new View(this, path, await this.request('GET', path, options));
  }

  /**
   * Send any request below /v1, with retries; resolves to {status, headers, body}.
   * A POST is sent again only with an idempotency key, or with `retry` if it writes nothing.
   */
  async request(method, path, options = {}) {
    const { signal, idempotent, retry = method !== 'POST' } = options;
    const idempotencyKey = options.idempotencyKey ?? (idempotent ? randomKey() : undefined);
    const call = () => this.#send(method, path, { ...options, idempotencyKey });
    for (let attempt = 1; ; attempt++) {
      const error = await call().catch((failure) => failure);
      if (!(error instanceof Error)) return error;
      signal?.throwIfAborted();
      if (attempt > 1 && method === 'DELETE' && error.status === 404) return { status: 204, body: null };
      const again = (retry || idempotencyKey) && attempt <= this.retries && passes(error);
      if (!again) throw error;
      this.onRetry?.(error, attempt);
      await this.pause(pauseBefore(attempt, error), signal);
    }
  }

  async #send(method, path, { body, query, headers, accept, ifMatch, ifNoneMatch, idempotencyKey, signal }) {
    const url = new URL(path, this.root);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value != null) url.searchParams.set(name, value);
    }
    const fields = {
      Accept: accept ?? 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(this.language && { 'Accept-Language': this.language }),
      ...(this.key && { Authorization: `Bearer ${this.key}` }),
      ...(ifMatch && { 'If-Match': ifMatch }),
      ...(ifNoneMatch && { 'If-None-Match': ifNoneMatch }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      ...headers,
    };
    const request = { method, headers: fields, body: body && JSON.stringify(body), cache: 'no-cache' };
    const limit = AbortSignal.timeout(this.timeout);
    request.signal = signal ? AbortSignal.any([signal, limit]) : limit;
    let response, text;
    try {
      response = await this.fetch(url.href, request);
      text = await response.text();
    } catch (cause) {
      throw new Unreachable(cause);
    }
    const sent = Date.parse(response.headers.get('Date'));
    if (sent) this.clockOffset = sent - Date.now();
    const json = /[/+]json/.test(response.headers.get('Content-Type'));
    const { status } = response;
    if (status >= 400) throw new Problem(status, json ? JSON.parse(text) : { title: text }, response.headers);
    return { status, headers: response.headers, body: json && text ? JSON.parse(text) : text || null };
  }

  #get(path, query, options) {
    return this.request('GET', path, { query, ...options }).then((answer) => answer.body);
  }

  #ask(path, body, options) {
    return this.request('POST', path, { retry: true, ...options, body }).then((answer) => answer.body);
  }

  async #page(path, query, options) {
    const { headers, body } = await this.request('GET', path, { query, ...options });
    const link = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('Link'));
    const cursor = link && new URL(link[1], this.root).searchParams.get('cursor');
    return { ...body, next: cursor ? () => this.#page(path, { ...query, cursor }, options) : null };
  }
}

/** A game as last received: `state` is the body of the response. */
export class View {
  constructor(client, path, answer) {
    Object.assign(this, { client, path });
    this.take(answer);
  }

  take({ headers, body }) {
    // A response that is older than the state is ignored.
    if (body.version >= (this.state?.version ?? 0)) {
      this.state = body;
      this.etag = headers.get('ETag');
    }
    return this.state;
  }

  get over() {
    return ['won', 'ended'].includes(this.state.status);
  }

  /** Get the game again; resolves to whether it has changed. */
  async refresh(options) {
    const answer = await this.client.request('GET', this.path, { ifNoneMatch: this.etag, ...options });
    if (answer.status !== 304) this.take(answer);
    return answer.status !== 304;
  }

  /** Yield the state now and after each change, polling every `every` milliseconds. */
  async *follow({ every = 2000, signal } = {}) {
    yield this.state;
    while (!this.over) {
      await this.client.pause(every, signal);
      if (await this.refresh({ signal })) yield this.state;
    }
  }

  record({ format = 'json', after, ...options } = {}) {
    const accept = { json: undefined, text: 'text/plain', svg: 'image/svg+xml' }[format];
    const query = { after };
    return this.client
      .request('GET', `${this.path}/record`, { accept, query, ...options })
      .then((answer) => answer.body);
  }

  /** Get the review, if the player has requested it and others may see it. */
  review(options) {
    return this.client.request('GET', `${this.path}/review`, options).then((answer) => answer.body);
  }
}

/**
 * A game that can be played. A write names the version in `state` at the time of the call, so
 * the second of two concurrent calls is refused; after a `version-mismatch`, `state` is current.
 */
export class Game extends View {
  constructor(client, answer) {
    super(client, `games/${encodeURIComponent(answer.body.id)}`, answer);
  }

  get id() {
    return this.state.id;
  }

  move(from, to, options) {
    return this.#write('moves', { from, to }, options);
  }

  /** Move a pile that has one target; with several, fails with `ambiguous-move` and `targets`. */
  tap(from, options) {
    return this.#write('moves', { from }, options);
  }

  batch(moves, options) {
    return this.#write('moves', { moves }, options);
  }

  deal(count = 1, options) {
    return this.#write('deal', { count }, options);
  }

  undo(count = 1, options) {
    return this.#write('undo', { count }, options);
  }

  redo(count = 1, options) {
    return this.#write('redo', { count }, options);
  }

  finish(options) {
    return this.#write('finish', {}, options);
  }

  /** Get an action to take, as {version, action, verdict, reason}. */
  hint({ budget, ...options } = {}) {
    return this.#advise('hint', budget === undefined ? {} : { budget_ms: budget }, options);
  }

  solution(options) {
    return this.#advise('solution', {}, options);
  }

  legalMoves(options) {
    return this.#below('GET', 'legal-moves', options);
  }

  leaderboard(options) {
    return this.#below('GET', 'leaderboard', options);
  }

  /** Request the review of a game that is over, and wait until it is ready. */
  async review({ signal } = {}) {
    const path = `${this.path}/review`;
    let answer = await this.client.request('POST', path, { idempotent: true, signal });
    while (answer.status === 202) {
      await this.client.pause(1000 * (secondsToWait(answer.headers.get('Retry-After')) ?? 1), signal);
      answer = await this.client.request('GET', path, { signal });
    }
    return answer.body;
  }

  async delete(options) {
    await this.client.request('DELETE', this.path, options);
  }

  #below(method, name, options) {
    return this.client.request(method, `${this.path}/${name}`, options).then((answer) => answer.body);
  }

  #post(name, body, options) {
    return this.client.request('POST', `${this.path}/${name}`, { idempotent: true, ...options, body });
  }

  async #write(name, body, options) {
    try {
      return this.take(await this.#post(name, body, { ifMatch: `"${this.state.version}"`, ...options }));
    } catch (error) {
      if (error.code === 'version-mismatch') await this.refresh();
      throw error;
    }
  }

  async #advise(name, body, options) {
    const { body: advice } = await this.#post(name, body, options);
    const { version, hints_used = this.state.hints_used + 1 } = advice;
    this.state = { ...this.state, version, hints_used };
    return advice;
  }
}

/** Whether the same request may succeed later. */
function passes(error) {
  return error instanceof Unreachable || PASSING.includes(error.status) || error.code === 'idempotency-in-flight';
}

/** Milliseconds before the next attempt: Retry-After, else 0.25, 0.5, 1, ... 8 s, less up to half. */
function pauseBefore(attempt, error) {
  const longest = Math.min(8000, 125 * 2 ** attempt);
  return (error.retryAfter ?? 0) * 1000 || longest * (0.5 + Math.random() / 2);
}

function secondsToWait(field) {
  if (!field) return undefined;
  return /^\d+$/.test(field) ? Number(field) : Math.max(0, (Date.parse(field) - Date.now()) / 1000);
}

function wait(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => (clearTimeout(timer), reject(signal.reason));
    const timer = setTimeout(() => (signal?.removeEventListener('abort', stop), resolve()), milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}

/** 128 random bits. Pages served over plain HTTP have no crypto.randomUUID. */
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
