// Seals that come back: signatures of thinking, redacted thinking, search results and the citations of them.
import { asRecords, asText, type JsonRecord, ofType } from '../../json-value.ts';
import { isSealValid, type SealIssuer } from '../../seals.ts';
import { firstOf } from '../judgement.ts';
import { turnsOf } from './conversation.ts';
import { at, type MessagesRefusal } from './refusal.ts';

export function checkSeals(body: JsonRecord, issuer: SealIssuer): MessagesRefusal | undefined {
  return firstOf(turnsOf(body), ({ role, blocks }, index) =>
    firstOf(role === 'assistant' ? blocks : [], (block, place) => {
      const problem = problemOf(block, issuer);
      return problem === undefined ? undefined : at(['messages', index, 'content', place], `Invalid ${problem}`);
    }),
  );
}

function problemOf(block: JsonRecord, issuer: SealIssuer): string | undefined {
  const { type, thinking, signature, data, content, citations } = block;
  if (type === 'thinking' && !isSealValid(issuer, 'thinking', asText(thinking), asText(signature)))
    return '`signature` in `thinking` block';
  if (type === 'redacted_thinking' && !isSealValid(issuer, 'redacted-thinking', '', asText(data)))
    return '`data` in `redacted_thinking` block';
  const results = type === 'web_search_tool_result' ? asRecords(content) : [];
  const areGenuine = results.every(({ url, title, encrypted_content: seal }) =>
    isSealValid(issuer, 'search-result', shownResult(asText(url), asText(title)), asText(seal)),
  );
  if (!areGenuine) return '`encrypted_content` in `web_search_result` block';
  const cited = type === 'text' ? ofType(citations, 'web_search_result_location') : [];
  const areCited = cited.every(({ url, cited_text, encrypted_index: seal }) =>
    isSealValid(issuer, 'citation', shownResult(asText(url), asText(cited_text)), asText(seal)),
  );
  return areCited ? undefined : '`encrypted_index` in `web_search_result_location` citation';
}

/** The text that the seal of a search result or a citation signs. */
export function shownResult(url: string, title: string): string {
  return JSON.stringify([url, title]);
}
