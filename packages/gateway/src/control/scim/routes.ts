/**
 * SCIM 2.0 for users, at a path of its own, so that a proxy can expose only this. Each directory has a token, which is good for
 * the people of one issuer in one account, and for nothing else. Without a directory in the configuration there is nothing here.
 */
import type { IncomingMessage } from 'node:http';
import { type JsonBounds, parseUntrustedObject } from '@trivium/protocol/framing';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readHeaders } from '../../http/head.ts';
import { callerAddress, type IsTrustedProxy } from '../../http/peer.ts';
import { extractCredential } from '../../people/accounts/credentials.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import { SCIM_TOKEN, type UserDirectory } from '../../people/identity/issuers.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { CredentialTries } from '../api/credential-tries.ts';
import { AdminProblem } from '../api/problem.ts';
import type { DatabasePorts } from '../api/route.ts';
import {
  activeAfter,
  activeIn,
  type DirectoryUser,
  filterIn,
  listOf,
  MAX_COUNT,
  newUserIn,
  resourceTypes,
  SCIM_MEDIA,
  type ScimBody,
  ScimProblem,
  schemas,
  serviceProviderConfig,
  shownUser,
  type WantedAttributes,
} from './messages.ts';
import { createUser, deleteUser, listUsers, requireUser, setUserActive } from './rows.ts';

export const SCIM_MOUNT = '/scim/v2';

export type ScimPorts = DatabasePorts & { readonly directories: () => readonly UserDirectory[] };

type Ports = ScimPorts & {
  readonly readText: (request: IncomingMessage, maxBytes: number) => Promise<string>;
  readonly jsonBounds: () => JsonBounds;
  readonly isTrustedProxy: IsTrustedProxy;
  /** The origin at which the identity provider reaches the listener. */
  readonly originOf: (request: IncomingMessage) => string;
};

const MAX_BODY_BYTES = 262_144;
const DEFAULT_COUNT = 100;

const nothingHere = (): ScimProblem => new ScimProblem('not-found', 'There is no such endpoint.');

type ById = { readonly Params: { readonly id: string } };
type WithBody = { readonly Body: ScimBody };
type Asked = WantedAttributes & { readonly filter?: string; readonly startIndex?: string; readonly count?: string };

const integerIn = (value: string | undefined, fallback: number): number => {
  const number = Number(value ?? fallback);
  if (!Number.isSafeInteger(number))
    throw new ScimProblem('invalid', 'startIndex and count must be integers.', 'invalidValue');
  return number;
};

export function addScim(app: FastifyInstance, ports: Ports): void {
  const { store, tell, directories, readText, jsonBounds, isTrustedProxy, originOf, nowMs } = ports;
  const tries = new CredentialTries();
  const known = new WeakMap<FastifyRequest, UserDirectory>();

  const directoryOf = ({ raw }: FastifyRequest): UserDirectory => {
    const all = directories();
    if (all.length === 0) throw nothingHere();
    const credential = extractCredential(readHeaders(raw.rawHeaders));
    const secret = credential.kind === 'one' ? credential.secret : '';
    const [hash, address] = [hashSecret(secret), callerAddress(raw, isTrustedProxy)];
    tries.requireTry(address, hash, nowMs());
    const found = SCIM_TOKEN.test(secret) ? all.find(({ tokenHash }) => tokenHash === hash) : undefined;
    if (found === undefined) {
      tries.failed(address, hash, nowMs());
      throw new ScimProblem('unauthenticated', 'The token is missing, or is not that of a directory.');
    }
    tries.succeeded(hash);
    return found;
  };

  app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        reply.type(SCIM_MEDIA);
        known.set(request, directoryOf(request));
        if (Object.values(request.query as object).some((value) => typeof value !== 'string'))
          throw new ScimProblem('invalid', 'A parameter may be given once.', 'invalidSyntax');
        // No id contains them, and the database could not even be queried with them.
        if (/\p{Cc}/u.test((request.params as Partial<ById['Params']>).id ?? '')) throw nothingHere();
      });
      scope.setErrorHandler((error) => {
        if (error instanceof ScimProblem) throw error;
        if (error instanceof AdminProblem) throw new ScimProblem(error.code, error.message);
        throw error;
      });
      scope.setNotFoundHandler(async () => {
        throw nothingHere();
      });
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(['application/scim+json', 'application/json'], async ({ raw }: FastifyRequest) => {
        const text = await readText(raw, MAX_BODY_BYTES);
        return text === '' ? {} : parseUntrustedObject(text, jsonBounds()).value;
      });
      const mountOf = ({ raw }: FastifyRequest): string => `${originOf(raw)}${SCIM_MOUNT}`;
      const within = <T>(
        request: FastifyRequest,
        work: (db: Db, directory: UserDirectory) => Promise<T>,
      ): Promise<T> => {
        const directory = known.get(request);
        if (directory === undefined) throw new Error('not authenticated');
        return store.within(OPERATOR, (db) => work(db, directory));
      };
      /** Nodes drop what they cached of the account once the change is stored. */
      const changed = async (
        request: FastifyRequest,
        work: (db: Db, directory: UserDirectory) => Promise<DirectoryUser>,
      ): Promise<object> => {
        const user = await within(request, work);
        tell(`account:${known.get(request)?.account}`);
        return shownUser(user, mountOf(request), {});
      };

      scope.get('/ServiceProviderConfig', async (request) => serviceProviderConfig(mountOf(request)));
      for (const [path, all] of [
        ['/ResourceTypes', resourceTypes],
        ['/Schemas', schemas],
      ] as const) {
        scope.get(path, async (request) => listOf(all(mountOf(request))));
        scope.get<ById>(`${path}/:id`, async (request) => {
          const found = all(mountOf(request)).find((one) => Reflect.get(one, 'id') === request.params.id);
          if (found === undefined) throw nothingHere();
          return found;
        });
      }
      scope.get('/Groups', async () => listOf([]));
      scope.get<{ Querystring: Asked }>('/Users', async (request) => {
        const { filter, startIndex, count } = request.query;
        const by = filter === undefined ? undefined : filterIn(filter);
        const from = Math.max(1, integerIn(startIndex, 1));
        const most = Math.min(MAX_COUNT, Math.max(0, integerIn(count, DEFAULT_COUNT)));
        const { users, total } = await within(request, (db, directory) => listUsers(db, directory, by, from - 1, most));
        const mount = mountOf(request);
        return listOf(
          users.map((user) => shownUser(user, mount, request.query)),
          total,
          from,
        );
      });
      scope.post<WithBody>('/Users', async (request, reply) => {
        const user = newUserIn(request.body ?? {});
        reply.code(201);
        return changed(request, (db, directory) => createUser(db, directory, user));
      });
      scope.get<ById & { Querystring: WantedAttributes }>('/Users/:id', async (request) =>
        shownUser(
          await within(request, (db, directory) => requireUser(db, directory, request.params.id)),
          mountOf(request),
          request.query,
        ),
      );
      for (const [method, read] of [
        ['PUT', activeIn],
        ['PATCH', activeAfter],
      ] as const)
        scope.route<ById & WithBody>({
          method,
          url: '/Users/:id',
          handler: async (request) => {
            const isActive = read(request.body ?? {});
            return changed(request, (db, directory) =>
              isActive === undefined
                ? requireUser(db, directory, request.params.id)
                : setUserActive(db, directory, request.params.id, isActive),
            );
          },
        });
      scope.delete<ById>('/Users/:id', async (request, reply) => {
        await within(request, (db, directory) => deleteUser(db, directory, request.params.id));
        tell(`account:${known.get(request)?.account}`);
        return reply.code(204).send();
      });
    },
    { prefix: SCIM_MOUNT },
  );
}
