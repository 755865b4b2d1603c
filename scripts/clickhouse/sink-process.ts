/**
 * A process that copies records as a gateway does: `sink-process.ts <PostgreSQL> <ClickHouse> <die after insert>`. It kills itself
 * with SIGKILL after that many inserts, when rows are stored and the position is not moved yet; 0: it does not.
 */
import { ClickHouse } from '../../packages/gateway/src/control/usage/clickhouse/clickhouse.ts';
import { RecordSink } from '../../packages/gateway/src/control/usage/clickhouse/record-sink.ts';
import { StoredSinkRows } from '../../packages/gateway/src/control/usage/sink-rows.ts';
import { becomeSoleUser, RECORD_SINK_LOCK } from '../../packages/gateway/src/store/postgres/sole-user.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { operatorAgent } from '../../packages/gateway/src/upstream/dialling-agent.ts';
import { storeSettings } from '../../tests/support/database.ts';

const [databaseUrl = '', clickhouseUrl = '', dieAfter = '0'] = process.argv.slice(2);
const BATCH_ROWS = 5000;
const TIMEOUT_MS = 120_000;

const clickhouse = await ClickHouse.open(
  { url: clickhouseUrl, database: 'trivium', days: 400, timeoutMs: TIMEOUT_MS },
  operatorAgent(new URL(clickhouseUrl), { connectMs: TIMEOUT_MS, ca: [] }, 2),
);
let inserts = 0;
new RecordSink(
  { batchRows: BATCH_ROWS, everyMs: 200 },
  {
    rows: new StoredSinkRows(new Store(storeSettings(databaseUrl)), Date.now),
    destination: {
      prepare: () => clickhouse.prepare(),
      insert: async (lines) => {
        await clickhouse.insert(lines);
        inserts++;
        if (inserts === Number(dieAfter)) process.kill(process.pid, 'SIGKILL');
      },
    },
    lease: () => becomeSoleUser(databaseUrl, RECORD_SINK_LOCK),
    onTrouble: (error) => console.error(`sink: ${error}`),
  },
).start();
// The sink's own timers keep no process alive.
setInterval(() => undefined, TIMEOUT_MS);
