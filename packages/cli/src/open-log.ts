// The gateway's log, on standard output unless the terminal wants it elsewhere.

import { type Config, createLog, type Log } from '@trivium/gateway';
import type { Terminal } from './terminal.ts';

export const openLog = (level: Config['log']['level'], terminal: Terminal): Log =>
  createLog({ level, ...(terminal.writeLog === undefined ? {} : { write: terminal.writeLog }) });
