/** The list of requests as a line for a terminal. */
import { triviumLine } from '../../format/shell.ts';
import type { Source } from './source.ts';

export const listLine = ({ account, filters, times }: Pick<Source, 'account' | 'filters' | 'times'>): string =>
  triviumLine(
    ['requests', 'list'],
    Object.entries({ account, ...filters, ...times() })
      // The command shows one request by `requests show`.
      .filter(([name]) => name !== 'id')
      .map(([name, value]) => [name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value] as const),
  );
