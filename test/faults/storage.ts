// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parts of sources
import { ofArea } from './fault.ts'

export const keys = ofArea('KEY', [
  {
    promise: 'P-KEY-02',
    what: 'a sealed value is not bound to its row',
    file: 'electron/server/database/encryption.ts',
    find: `      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from(context))
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, context) {
      const end = sealed.length - TAG_BYTES
      const start = 1 + NONCE_BYTES
      if (sealed[0] !== VERSION || end < start) throw sealBroken(context)
      const cipher = createDecipheriv('aes-256-gcm', cipherKey, sealed.subarray(1, start), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
`,
    replace: `      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from('sealed'))
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, context) {
      const end = sealed.length - TAG_BYTES
      const start = 1 + NONCE_BYTES
      if (sealed[0] !== VERSION || end < start) throw sealBroken(context)
      const cipher = createDecipheriv('aes-256-gcm', cipherKey, sealed.subarray(1, start), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from('sealed'))
`,
    tests: 'electron/server/database/encryption.test.ts',
  },
  {
    promise: 'P-KEY-03',
    what: 'the keys of all purposes are one',
    file: 'electron/server/database/encryption.ts',
    find: '`isthmus ${purpose}`',
    replace: "`isthmus ${purpose && 'key'}`",
    tests: 'electron/server/database/encryption.test.ts',
  },
  {
    promise: 'P-KEY-01',
    what: 'every value is sealed with the same nonce',
    file: 'electron/server/database/encryption.ts',
    find: 'const nonce = randomBytes(NONCE_BYTES)',
    replace: 'const nonce = Buffer.alloc(NONCE_BYTES, 7)',
    tests: 'electron/server/database/encryption.test.ts',
  },
  {
    promise: 'P-BAK-05',
    what: 'all portions of a sealed file have one nonce',
    file: 'electron/server/database/encrypted-file.ts',
    find: '  nonce.writeUInt32BE(number, NONCE_BYTES - 4)',
    replace: '  nonce.writeUInt32BE(number & 0, NONCE_BYTES - 4)',
    tests: 'electron/server/database/encrypted-file.test.ts',
  },
  {
    promise: 'P-BAK-05',
    what: 'a sealed file opens though its end is missing',
    file: 'electron/server/database/encrypted-file.ts',
    find: 'const lastSegmentFlag = (isLast: boolean): Buffer => Buffer.of(isLast ? 1 : 0)',
    replace: 'const lastSegmentFlag = (isLast: boolean): Buffer => Buffer.of(isLast ? 1 : 1)',
    tests: 'electron/server/database/encrypted-file.test.ts',
  },
  {
    promise: 'P-KEY-06',
    what: 'the plain data key is deleted before the wrapped one was read back',
    file: 'electron/server/database/wrapped-key.ts',
    find: '    if (!hasKeyFile()) return false\n',
    replace: '',
    tests: 'electron/server/database/wrapped-key.test.ts',
  },
  {
    promise: 'P-KEY-06',
    what: 'the data key moves into the key store without a recovery key',
    file: 'electron/server/database/wrapped-key.ts',
    find: "if (recoveryKeyState(folder, { keyName }).state !== 'ready') return false",
    replace: 'if (recoveryKeyState(folder, { keyName }).state === undefined) return false',
    tests: 'electron/server/database/wrapped-key.test.ts',
  },
  {
    promise: 'P-KEY-05',
    what: 'a missing data key is made anew beside a database',
    file: 'electron/server/database/data-key.ts',
    find: '    if (!options.mayCreate)\n',
    replace: '    if (!options.mayCreate && !options.random)\n',
    tests: ['electron/server/database/encryption.test.ts', 'electron/server/context.test.ts'],
  },
  {
    promise: 'P-KEY-04',
    what: 'a data key that others may read stays so',
    file: 'electron/server/database/data-key.ts',
    find: '(statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)',
    replace: '(statSync(file).mode & 0o007) !== 0) chmodSync(file, 0o640)',
    tests: 'electron/server/database/encryption.test.ts',
  },
])

export const backups = ofArea('BAK', [
  {
    promise: 'P-BAK-03',
    what: 'a backup is not read back',
    file: 'electron/server/modules/backups/make-backup.ts',
    find: "const readBack = await checkSealedFile(sealed, key, (share) => onProgress({ phase: 'comparing', share }))",
    replace: 'const readBack = { sha256 }',
    tests: [
      'electron/server/modules/backups/make-backup.test.ts',
      'electron/server/modules/backups/opened-backup.test.ts',
    ],
  },
  {
    promise: 'P-BAK-03',
    what: 'a damaged copy of the database becomes a backup',
    file: 'electron/server/modules/backups/backup-check.ts',
    find: "if (verdict !== 'ok')",
    replace: "if (verdict === '')",
    tests: 'electron/server/modules/backups/make-backup.test.ts',
  },
  {
    promise: 'P-BAK-06',
    what: 'backups that a person made are removed by the plan',
    file: 'electron/server/modules/backups/backup-retention.ts',
    find: "'by-hand': () => true,",
    replace: "'by-hand': ({ madeAt }) => msOf(madeAt) + BEFORE_UPDATE_RETENTION_MS > now,",
    tests: 'electron/server/modules/backups/backup-retention.test.ts',
  },
  {
    promise: 'P-BAK-06',
    what: 'weeks begin on Sunday',
    file: 'electron/server/modules/backups/backup-retention.ts',
    find: 'return addDays(day, -((weekday + 6) % 7))',
    replace: 'return addDays(day, -weekday)',
    tests: [
      'electron/server/modules/backups/backup-retention.test.ts',
      'electron/server/modules/backups/backup-retention.properties.test.ts',
    ],
  },
  {
    promise: 'P-BAK-08',
    what: 'a restore leaves the log of the former database beside the new one',
    file: 'electron/server/database/restore-plan.ts',
    find: '`${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`',
    replace: '`${DATABASE_FILE}-shm`',
    tests: 'electron/server/modules/backups/restore-files.test.ts',
  },
  {
    promise: 'P-BAK-08',
    what: 'a restore that is half done begins a second folder for what it replaced',
    file: 'electron/server/modules/backups/restore-files.ts',
    find: 'const order = staged.keptAside === null ? commitPlan(folder, staged, now) : staged',
    replace: 'const order = commitPlan(folder, staged, now)',
    tests: 'electron/server/modules/backups/restore-files.test.ts',
  },
  {
    promise: 'P-BAK-08',
    what: 'a staged file that was changed is put in place',
    file: 'electron/server/modules/backups/restore-files.ts',
    find: 'throwIfNoEntry: false })?.size !== bytes)',
    replace: 'throwIfNoEntry: false }) === undefined && bytes > 0)',
    tests: 'electron/server/modules/backups/restore-files.test.ts',
  },
  {
    promise: 'P-BAK-02',
    what: 'a second process takes the lock of a folder',
    file: 'electron/server/database/lock.ts',
    find: "sqlite.exec('begin exclusive')",
    replace: "sqlite.exec('begin')",
    tests: 'electron/server/database/lock.test.ts',
  },
  {
    promise: 'P-BAK-01',
    what: 'writers are answered before the log is synced',
    file: 'electron/server/database/group-commit.ts',
    find: 'if (isRelaxed) this.#wal.sync().then(resolveAll, rejectAll)',
    replace: 'if (isRelaxed) void this.#wal.sync().then(resolveAll(), rejectAll)',
    tests: [
      'electron/server/database/transactions.test.ts',
      'electron/server/database/wal-sync.test.ts',
    ],
  },
  {
    promise: 'P-BAK-01',
    what: 'after a sync that failed the log goes on being trusted',
    file: 'electron/server/database/wal-sync.ts',
    find: '      hasFailed = true\n',
    replace: '',
    tests: [
      'electron/server/database/wal-sync.test.ts',
      'electron/server/database/transactions.test.ts',
    ],
  },
  {
    promise: 'P-BAK-01',
    what: 'a writer that fails takes the others of its commit along',
    file: 'electron/server/database/group-commit.ts',
    find: `            if (!this.#sqlite.inTransaction) throw error
            settlers.push(() => reject(error))`,
    replace: '            throw error',
    tests: 'electron/server/database/transactions.test.ts',
  },
  {
    promise: 'P-BAK-16',
    what: 'a standby skips a segment of the log that is missing',
    file: 'electron/server/modules/backups/replica.ts',
    find: 'if (segment.epoch !== replica.epoch || segment.first > replica.frames || !hasBegun)',
    replace: 'if (segment.epoch < replica.epoch)',
    tests: 'flows/standby-log.test.ts',
    project: 'flows',
    requires: 'dist',
  },
  {
    promise: 'P-BAK-17',
    what: 'a gateway that was taken over serves again',
    file: 'electron/server/modules/backups/takeover-note.ts',
    find: 'if (existsSync(file)) {',
    replace: "if (existsSync('')) {",
    tests: 'flows/standby-log.test.ts',
    project: 'flows',
    requires: 'dist',
  },
  {
    promise: 'P-BAK-17',
    what: 'a copy is served before it took over',
    file: 'electron/server/modules/backups/takeover-note.ts',
    find: 'if (existsSync(join(folder, REPLICA_FILE)))',
    replace: "if (existsSync(''))",
    tests: 'flows/standby-log.test.ts',
    project: 'flows',
    requires: 'dist',
  },
  {
    promise: 'P-BAK-18',
    what: 'the way back drops values that the older version has no column for',
    file: 'electron/server/database/older-schema.ts',
    find: "const unsupported = isDerivedTable ? [] : unsupportedColumns(read, 'newer', table, olderColumns)",
    replace: 'const unsupported: UnsupportedRows[] = []',
    tests: 'electron/server/database/older-schema.test.ts',
  },
  {
    promise: 'P-BAK-18',
    what: 'the way back drops rows that the older version has no table for',
    file: 'electron/server/database/older-schema.ts',
    find: "flatMap((name) => rowsOf(read, 'newer', name, null))",
    replace: 'flatMap((): UnsupportedRows[] => [])',
    tests: 'electron/server/database/older-schema.test.ts',
  },
  {
    promise: 'P-BAK-18',
    what: 'a table that is built from others refuses the way back',
    file: 'electron/server/database/older-schema.ts',
    find: "  'neededAddenda',\n",
    replace: '',
    tests: 'electron/server/database/older-schema.test.ts',
  },
])

export const logs = ofArea('LOG', [
  {
    promise: 'P-LOG-03',
    what: 'the hash of an audit entry leaves out who did it',
    file: 'electron/server/audit-log/audit-entry.ts',
    find: '[seq, at, actor, action, target, sealedDetail',
    replace: '[seq, at, action, target, sealedDetail',
    tests: 'electron/server/audit-log/audit-queries.test.ts',
  },
  {
    promise: 'P-LOG-03',
    what: 'the end of the audit trail is not compared with its head',
    file: 'electron/server/audit-log/audit-chain.ts',
    find: 'const isSame = head.count === count && head.hash === hash',
    replace: 'const isSame = head.count === count',
    tests: 'electron/server/audit-log/audit*',
  },
  {
    promise: 'P-LOG-11',
    what: 'the anchor is not compared with the database that is opened',
    file: 'electron/server/audit-log/audit-queries.ts',
    find: 'if (count === 0 || this.#head.hashAt(count) === hash) return undefined',
    replace: 'if (count >= 0 || this.#head.hashAt(count) === hash) return undefined',
    tests: 'electron/server/audit-log/audit-queries-rollback.test.ts',
  },
  {
    promise: 'P-LOG-01',
    what: 'the log has the message of an error, which may quote what somebody sent',
    file: 'electron/server/platform/log.ts',
    find: 'export function serializeError(thrown: unknown): { readonly error: string; readonly at: string } {',
    replace: `export function serializeError(thrown: unknown): { readonly error: string; readonly at: string } {
  if (thrown instanceof Error) return { error: thrown.message, at: '' }`,
    tests: 'electron/server/platform/log.test.ts',
  },
  {
    promise: 'P-LOG-05',
    what: 'the diagnostic bundle does not mask e-mail addresses',
    file: 'electron/server/modules/diagnostics/diagnostics-masking.ts',
    find: "'(e-mail)'],",
    replace: '(email: string) => email],',
    tests: 'electron/server/modules/diagnostics/diagnostics.test.ts',
  },
  {
    promise: 'P-LOG-06',
    what: 'events that wait are forgotten by their age',
    file: 'electron/server/modules/events/retention-queries.ts',
    find: "    .where(sql<boolean>`+state <> 'waiting'`)\n",
    replace: '',
    tests: 'electron/server/modules/diagnostics/retention.test.ts',
  },
])

export const application = ofArea('APP', [
  {
    promise: 'P-APP-04',
    what: 'reports are delivered in safe mode',
    file: 'electron/server/jobs/worker.ts',
    find: 'if (this.#context.isSafe || this.#running || this.#closing.signal.aborted) return',
    replace: 'if (this.#running || this.#closing.signal.aborted) return',
    tests: 'electron/server/jobs/worker.test.ts',
  },
])
