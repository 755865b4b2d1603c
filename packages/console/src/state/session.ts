/** Who is signed in, and what that role may see. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiError, call, type Schemas, setCsrf } from '../api/client.ts';

export type Me = Schemas['Me'];
export type Role = Me['role'];

const RANK: readonly Role[] = ['viewer', 'developer', 'admin', 'owner', 'operator'];

export const hasRole = (me: Me, least: Role): boolean => RANK.indexOf(me.role) >= RANK.indexOf(least);

/** Of members and keys, the lowest first. */
export const MEMBER_ROLES = ['viewer', 'developer', 'admin', 'owner'] as const satisfies readonly Role[];
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The API refuses roles above one's own. */
export const rolesToGive = (me: Me): readonly MemberRole[] => MEMBER_ROLES.filter((role) => hasRole(me, role));

/** As the API decides it: developers change their own keys, and no one a key whose role is above their own. */
export function mayChangeKey(me: Me, { memberId, parentId, rights }: Schemas['FoundKey']): boolean {
  if (!hasRole(me, 'developer') || (rights.manages !== undefined && !hasRole(me, rights.manages))) return false;
  if (me.role !== 'developer') return true;
  return me.memberId === null ? `key:${parentId}` === me.actor : memberId === me.memberId;
}

const REFRESH_MS = 60_000;

export const ME_KEY = ['/admin/v1/me'] as const;

async function readMe(signal?: AbortSignal): Promise<Me | null> {
  try {
    const me = await call('get', '/admin/v1/me', {}, signal);
    setCsrf(me.csrf);
    return me;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** Null: no session. */
export const useSession = (): UseQueryResult<Me | null> =>
  useQuery({
    queryKey: ME_KEY,
    queryFn: ({ signal }) => readMe(signal),
    staleTime: Number.POSITIVE_INFINITY,
    // For the number of open alerts.
    refetchInterval: REFRESH_MS,
  });

export const MeContext = createContext<Me | undefined>(undefined);

/** Only inside the shell, which renders nothing without a session. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === undefined) throw new Error('not signed in');
  return me;
}

export const actorLabel = ({ name, actor }: Me): string => name ?? actor;
