import type { ServerResponse } from 'node:http';
import type { Engine } from '../../engine';
import { generateReply } from '../../generate-reply';
import type { GenerateRequest } from '../../generate-request';
import type { Sequence } from '../../sequence';
import { sendJson } from '../respond';
import type { Route, RouteContext } from '../route';

export const generateRoute: Route = { methods: ['POST'], paths: ['/generate'], handle: generate };

async function generate({ engine, response, body }: RouteContext): Promise<void> {
  const request = engine.read(await body());
  const sequence = engine.submit(request, (started) =>
    request.isStreamed ? streamed(engine, request, started, response) : whole(engine, request, started, response),
  );
  response.on('close', () => {
    if (sequence.finish === null) engine.drop(sequence);
  });
}

function whole(engine: Engine, request: GenerateRequest, sequence: Sequence, response: ServerResponse) {
  return {
    onToken: () => undefined,
    onEnd: () => sendJson(response, 200, generateReply(sequence, 0, replyContext(engine, request))),
  };
}

/**
 * Server-sent events, each with what is new. A reader that falls behind gets fewer, larger events; generation never waits for it.
 * An event never mixes two weight versions.
 */
function streamed(engine: Engine, request: GenerateRequest, sequence: Sequence, response: ServerResponse) {
  let sent = 0;
  let isEnded = false;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  // the reader learns at once that the request was taken, also when a pause holds it back
  response.flushHeaders();
  const write = (upTo: number, isFinal: boolean) => {
    const part = isFinal ? sequence : partOf(sequence, upTo);
    const reply = generateReply(part, sent, replyContext(engine, request));
    response.write(`data: ${JSON.stringify(reply)}\n\n`);
    sent = upTo;
  };
  const flush = (isFinal: boolean) => {
    if (response.destroyed) return;
    const { output } = sequence;
    for (let i = sent + 1; i < output.length; i++) if (output[i]?.version !== output[i - 1]?.version) write(i, false);
    if (isFinal || output.length > sent) write(output.length, isFinal);
  };
  response.on('drain', () => {
    if (!isEnded) flush(false);
  });
  return {
    onToken: () => {
      if (!response.writableNeedDrain) flush(false);
    },
    onEnd: () => {
      isEnded = true;
      flush(true);
      if (!response.destroyed) response.end('data: [DONE]\n\n');
    },
  };
}

/** The sequence as it was when it had `count` tokens, unfinished. */
function partOf(sequence: Sequence, count: number): Sequence {
  return Object.assign(Object.create(Object.getPrototypeOf(sequence)), sequence, {
    output: sequence.output.slice(0, count),
    finish: null,
    tailText: '',
  });
}

function replyContext(engine: Engine, request: GenerateRequest) {
  return {
    request,
    servedVersion: engine.version,
    nowMs: engine.options.nowMs(),
    decode: (ids: readonly number[]) => engine.decode(ids, false),
  };
}
