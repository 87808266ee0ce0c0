import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { toChunks, toCompletion } from "./completion.ts";
import { type ChatRequest, lastOf, type Reply, type ReplyRule, textOf } from "./reply.ts";

/** A call the mock model got, and what it answered. */
export interface RecordedCall {
  readonly request: ChatRequest;
  readonly reply: Reply | undefined;
}

/** Options of {@link startModelServer}. */
export interface ModelServerOptions {
  /** Asked in order; the first answer counts. A request that none answers is refused loudly. */
  readonly rules: readonly ReplyRule[];
  /** @defaultValue any free one */
  readonly port?: number | undefined;
}

/** A running mock model. */
export interface ModelServer extends AsyncDisposable {
  /** Base URL for OpenAI-compatible clients, `…/v1`. */
  readonly endpoint: string;
  /** Everything that was asked so far. */
  readonly calls: readonly RecordedCall[];
  /** Idempotent. */
  close(): Promise<void>;
}

const largestBodyBytes = 64 * 2 ** 20;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > largestBodyBytes) throw new RangeError("the request is larger than the mock model reads");
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, {
    error: { message, type: status < 500 ? "invalid_request_error" : "server_error", code: null },
  });
}

function isChatRequest(body: unknown): body is ChatRequest {
  return (
    typeof body === "object" &&
    body !== null &&
    "messages" in body &&
    Array.isArray(body.messages) &&
    "model" in body &&
    typeof body.model === "string"
  );
}

async function stream(response: ServerResponse, request: ChatRequest, reply: Reply): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let sent = 0;
  for (const chunk of toChunks(request, reply)) {
    if (reply.cutAfterChunks !== undefined && sent >= reply.cutAfterChunks) {
      response.destroy();
      return;
    }
    const line = `data: ${JSON.stringify(chunk)}\n\n`;
    // Destroying drops what is still buffered: a stream to be cut hands each chunk over first.
    if (reply.cutAfterChunks === undefined) response.write(line);
    else await new Promise<void>((resolve) => response.write(line, () => resolve()));
    sent += 1;
  }
  response.end("data: [DONE]\n\n");
}

/** Waits before an answer; says whether the client still waits for it. */
async function waitWhileAsked(delayMs: number, response: ServerResponse): Promise<boolean> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return wait(delayMs, true, { signal: gone.signal }).catch(() => false);
}

/** Starts a deterministic OpenAI-compatible model server on loopback: chat completions with tools and streaming. Needs no key and no network. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const calls: RecordedCall[] = [];

  const answer = async (request: ChatRequest, response: ServerResponse): Promise<void> => {
    let reply: Reply | undefined;
    for (const rule of options.rules) {
      reply = rule(request);
      if (reply !== undefined) break;
    }
    calls.push({ request, reply });
    if (reply === undefined) {
      const asked = textOf(lastOf(request, "user")).slice(0, 200);
      sendError(response, 400, `the mock model has no reply for: ${asked}`);
      return;
    }
    if (reply.delayMs !== undefined && reply.delayMs > 0 && !(await waitWhileAsked(reply.delayMs, response))) return;
    if (reply.status !== undefined)
      sendError(response, reply.status, `the mock model answers ${reply.status} as its script says`);
    else if (request.stream === true) await stream(response, request, reply);
    else sendJson(response, 200, toCompletion(request, reply));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method === "GET" && path === "/v1/models") {
      sendJson(response, 200, {
        object: "list",
        data: [{ id: "mock", object: "model", created: 0, owned_by: "mock" }],
      });
      return;
    }
    if (request.method !== "POST" || path !== "/v1/chat/completions") {
      sendError(
        response,
        404,
        `the mock model has no ${request.method ?? ""} ${path}; it has POST /v1/chat/completions and GET /v1/models`,
      );
      return;
    }
    let body: unknown;
    try {
      body = JSON.parse(await readBody(request));
    } catch (error) {
      sendError(
        response,
        400,
        `the request body cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
      return;
    }
    if (isChatRequest(body)) await answer(body, response);
    else sendError(response, 400, "a chat completion request needs a model and messages");
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendError(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("the model server listens on no port");
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };
  return { endpoint: `http://127.0.0.1:${address.port}/v1`, calls, close, [Symbol.asyncDispose]: close };
}
