/** As OpenRouter has it: a code becomes a key. The key is a member's like any other, with the end and the limit that the person chose. */
import { findMember } from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { actorName, managerByMember, requirePermission } from '../api/actor.ts';
import { appendAudit } from '../api/change.ts';
import { AdminProblem } from '../api/problem.ts';
import { makeKey } from '../keys/make-key.ts';
import type { GrantPorts } from './ports.ts';
import { OAuthProblem } from './replies.ts';
import { findByCode, type SignInRow, spendSignIn } from './sign-in-rows.ts';
import { codeProblem, type OAuthForm } from './token-endpoint.ts';

const DAY_MS = 86_400_000;

export async function keyAnswer(form: OAuthForm, ports: GrantPorts): Promise<object> {
  const code = form.get('code');
  if (code === undefined || (form.get('code_challenge_method') ?? 'S256') !== 'S256')
    throw new OAuthProblem(400, 'invalid_request', 'code, code_verifier and code_challenge_method=S256 are needed.');
  const made = await ports.store.within(async (db) => {
    const row = await findByCode(db, code);
    const problem = await codeProblem(db, row, form, 'key');
    if (problem !== undefined || row === undefined) return { problem };
    await spendSignIn(db, row.id);
    return { row };
  });
  if (made.row === undefined)
    throw new OAuthProblem(403, 'invalid_grant', made.problem?.message ?? 'The code is not valid.');
  return keyFor(made.row, ports);
}

async function keyFor(row: SignInRow, { store, money, memberBounds, nowMs }: GrantPorts): Promise<object> {
  const { account_id: accountId, member_id: memberId } = row;
  if (accountId === null || memberId === null) throw new Error('nobody has agreed');
  const secret = await store.within(async (db) => {
    const [member, account] = [await findMember(db, accountId, memberId), await findAccount(db, accountId)];
    if (member === undefined || account === undefined) throw new AdminProblem('forbidden', 'This person has left.');
    const { name, role } = member;
    const isSuspended = account.status === 'suspended';
    const signedIn = { kind: 'member', accountId, memberId, name, role, isSuspended } as const;
    const actor = managerByMember(signedIn, memberBounds(role));
    requirePermission(actor, 'developer', accountId);
    const rights = { ...endOf(row.days, actor.rights.expiresAt, nowMs()) };
    const body = { name: row.label, rights };
    const { key, secret, detail } = await makeKey(db, { actor, accountId }, body);
    if (row.cap_nano !== null) {
      const refused = await money.changeAll(
        db,
        [
          {
            accountId,
            do: 'budget',
            scope: `key:${key.id}`,
            span: row.cap_span ?? 'total',
            nano: row.cap_nano,
            setBy: 'member',
          },
        ],
        'member',
      );
      if (refused !== undefined) throw new Error(`the budget of a new key was refused: ${refused.why}`);
    }
    const noted = { ...detail, app: row.label, issuer: row.issuer };
    await appendAudit(db, { accountId, actor: actorName(actor), action: 'key.create', subject: key.id, detail: noted });
    return secret;
  });
  return { key: secret, user_id: memberId };
}

/** What the person chose, or sooner, as the operator bounds it. */
function endOf(days: number | null, ceiling: string | undefined, nowMs: number): { readonly expiresAt?: string } {
  if (days === null) return {};
  const chosen = new Date(nowMs + days * DAY_MS).toISOString();
  return { expiresAt: ceiling !== undefined && Date.parse(ceiling) < Date.parse(chosen) ? ceiling : chosen };
}
