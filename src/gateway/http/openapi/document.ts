import { z } from 'zod';
import { errorBodySchema } from '../../../shared/wire/errors';
import type { Operation } from './operation';

/** An OpenAPI 3.1 document; plain JSON. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** Moves when a client could notice; not the program's version. */
const API_VERSION = '1.0.0';

const COMMON_REFUSALS = [401, 403, 413, 422, 429, 500];

/** Builds the document from the routes' own schemas, so that it cannot say anything else than they check. */
export function openApiDocument(operations: readonly Operation[]): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = describeOperation(operation);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Plaudit gateway',
      version: API_VERSION,
      description:
        'Chat with the live policy in three dialects, rate its answers, export trajectories, watch training. Times are ISO 8601, log-probabilities natural, versions count from 0. Every error has the same body.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths,
    components: {
      schemas: { Error: toJsonSchema(errorBodySchema, 'output') },
      securitySchemes: {
        sessionKey: { type: 'http', scheme: 'bearer', description: 'the api_key of /rl/start_session' },
        sessionKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        adminKey: { type: 'http', scheme: 'bearer', description: 'the file admin-key of the data folder' },
      },
    },
  };
}

function describeOperation(operation: Operation): Record<string, unknown> {
  const { method, path, request, query, success } = operation;
  return {
    operationId: `${method}${path.replace(/[^A-Za-z0-9]+(.?)/g, (_match, next: string) => next.toUpperCase())}`,
    tags: [operation.tag],
    summary: operation.summary,
    security: SECURITY[operation.key],
    parameters: [...pathParameters(path), ...queryParameters(query ?? {})],
    ...(request === undefined
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': { schema: toJsonSchema(request, 'input') } } },
        }),
    responses: {
      [success ?? 200]: { description: 'done', content: replyContent(operation) },
      ...Object.fromEntries(
        [...COMMON_REFUSALS, ...(operation.refusals ?? [])].map((status) => [status, ERROR_RESPONSE]),
      ),
    },
  };
}

const SECURITY: Readonly<Record<Operation['key'], readonly Record<string, readonly string[]>[]>> = {
  none: [{}],
  session: [{ sessionKey: [] }, { sessionKeyHeader: [] }],
  admin: [{ adminKey: [] }],
  either: [{ sessionKey: [] }, { sessionKeyHeader: [] }, { adminKey: [] }],
};

const ERROR_RESPONSE = {
  description: 'refused; the message says what to do',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

function replyContent({ reply, media }: Operation): Record<string, unknown> {
  return {
    ...(reply === null ? {} : { 'application/json': { schema: toJsonSchema(reply, 'output') } }),
    ...(media === undefined ? {} : { [media]: { schema: { type: 'string' } } }),
  };
}

function pathParameters(path: string): unknown[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: Readonly<Record<string, string>>): unknown[] {
  return Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  // What JSON Schema cannot say (a refinement in code) is left out of the document; the route still checks it.
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return rest;
}
