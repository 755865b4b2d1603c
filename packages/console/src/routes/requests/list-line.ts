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

/** Of a file with these requests: `requests-2026-11-17T0900_2026-11-18T0900.csv`, in UTC. */
export const exportName = (
  { from = '', until = new Date().toISOString() }: Readonly<Record<string, string>>,
  format: string,
): string => `requests-${from.slice(0, 16)}_${until.slice(0, 16)}.${format}`.replaceAll(':', '');
