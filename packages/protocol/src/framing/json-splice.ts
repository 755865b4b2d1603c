/** Replaces, adds, renames or removes top-level members of a JSON object's text; every other character stays as it came. */
import { type JsonMember, stringEnd } from './json-scan.ts';

/** `value` is JSON text; undefined removes the member. A rename keeps the value's own text. */
export type Edit =
  | { readonly name: string; readonly value: string | undefined }
  | { readonly name: string; readonly renameTo: string };

export function splice(text: string, members: readonly JsonMember[], edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let out = '';
  // Everything before `from` has been written, changed or not; what is not named by an edit is copied in long runs.
  let from = 0;
  let keptAny = false;
  const table = edits.length > FEW ? new Map(edits.toReversed().map((edit) => [edit.name, edit])) : undefined;
  for (let position = 0; position < members.length; position++) {
    const member = members[position]!;
    let edit = table?.get(member.name);
    if (table === undefined)
      for (const each of edits)
        if (each.name === member.name) {
          edit = each;
          break;
        }
    if (edit === undefined) {
      keptAny = true;
    } else if ('renameTo' in edit) {
      out += text.slice(from, member.start) + JSON.stringify(edit.renameTo);
      from = stringEnd(text, member.start);
      keptAny = true;
    } else if (edit.value !== undefined) {
      out += text.slice(from, member.valueStart) + edit.value;
      from = member.valueEnd;
      keptAny = true;
    } else if (keptAny) {
      // Gone with the separator before it.
      out += text.slice(from, members[position - 1]!.valueEnd);
      from = member.valueEnd;
    } else {
      // Nothing before it stays, so it goes with the separator after it.
      out += text.slice(from, member.start);
      from = members[position + 1]?.start ?? member.valueEnd;
    }
  }
  const end = members[members.length - 1]?.valueEnd ?? text.indexOf('{') + 1;
  out += text.slice(from, end);
  for (const edit of edits) {
    if (!('value' in edit) || edit.value === undefined || isMember(edit.name, members)) continue;
    out += `${keptAny ? ',' : ''}${JSON.stringify(edit.name)}:${edit.value}`;
    keptAny = true;
  }
  return out + text.slice(Math.max(from, end));
}

/** Looking through a handful of edits beats building a table of them for each request. Callers who send members that nobody knows make it many. */
const FEW = 16;

function isMember(wanted: string, members: readonly JsonMember[]): boolean {
  for (const { name } of members) if (name === wanted) return true;
  return false;
}
