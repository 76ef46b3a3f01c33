import { ofArea } from './fault.ts'

const intake = 'electron/gateway/intake'
const store = 'electron/gateway/store'

export default ofArea('IMG', [
  {
    promise: 'P-IMG-03',
    what: 'the file of an image is not synced before Success',
    file: `${store}/part-file.ts`,
    find: 'await this.#hold(fsync(fd))',
    replace: 'await this.#hold(Promise.resolve(fd))',
    project: 'crash',
    tests: 'crash/power-loss*.test.ts',
  },
  {
    promise: 'P-IMG-03',
    what: 'the folder of an image is not synced before Success',
    file: `${store}/folder-sync.ts`,
    find: `  try {
    await fsync(fd)
  } finally {`,
    replace: `  try {
    await Promise.resolve(fd)
  } finally {`,
    project: 'crash',
    tests: 'crash/power-loss*.test.ts',
  },
  {
    promise: 'P-IMG-01',
    what: 'Success is sent before the row of an image is committed',
    file: `${intake}/receive.ts`,
    find: 'const kept = await turns.take(sopInstanceUid, () => settleIn(received, own))',
    replace: `void turns.take(sopInstanceUid, () => settleIn(received, own))
      const kept = undefined as Kept | undefined
      isKept = true`,
    tests: `${intake}/receive-unsynced.test.ts`,
  },
  {
    promise: 'P-IMG-01',
    what: 'a failure to sync the file is not waited for',
    file: `${intake}/receive.ts`,
    find: 'const outcomes = await Promise.allSettled([database.commitSoon(() => arrivals.keep(arrival)), part.finish(), part.secure()])',
    replace: `void part.finish().catch(() => undefined)
      const outcomes = await Promise.allSettled([database.commitSoon(() => arrivals.keep(arrival)), part.secure()])`,
    tests: `${intake}/receive-unsynced.test.ts`,
  },
  {
    promise: 'P-IMG-04',
    what: 'the last portion of an image is not written',
    file: `${intake}/receive.ts`,
    find: 'if (gatheredBytes > 0) await write(gathered)',
    replace: 'if (gatheredBytes > meta.length + (1 << 20)) await write(gathered)',
    tests: `${intake}/receive.test.ts`,
  },
  {
    promise: 'P-IMG-05',
    what: 'the same image twice is kept twice',
    file: `${intake}/receive.ts`,
    find: 'const twin = await twinOf(received)',
    replace: 'const twin = (await twinOf(received)) && undefined',
    tests: `${intake}/receive.test.ts`,
  },
  {
    promise: 'P-IMG-05',
    what: 'a file of another content with the same length and CRC counts as the same',
    file: `${store}/part-file.ts`,
    find: 'if (length === 0 || compared !== length || mine.compare(theirs, 0, length, 0, length) !== 0) return false',
    replace: 'if (length === 0 || compared !== length) return false',
    tests: `${store}/image-files.test.ts`,
  },
  {
    promise: 'P-IMG-06',
    what: 'another device may replace an image of the same UID',
    file: `${intake}/arrivals.ts`,
    find: "if (current.callingAeTitle.toUpperCase() === callingAeTitle.toUpperCase()) return ''",
    replace: "if (current.callingAeTitle.length > 0 && callingAeTitle.length > 0) return ''",
    tests: `${intake}/receive.test.ts`,
  },
  {
    promise: 'P-IMG-06',
    what: 'the replaced version of an image is not kept as superseded',
    file: `${intake}/arrivals.ts`,
    find: "if (replaces) instances.setState(replaces.instanceId, 'superseded')",
    replace: 'if (replaces) instances.remove(replaces.instanceId)',
    tests: `${intake}/receive.test.ts`,
  },
  {
    promise: 'P-IMG-07',
    what: 'an image whose identifiers break the rules is not set aside',
    file: `${intake}/arrivals.ts`,
    find: "if (fault) return { state: 'quarantined', reason: 'invalid-uid'",
    replace: "if (fault && header.isCut) return { state: 'quarantined', reason: 'invalid-uid'",
    tests: `${intake}/receive.test.ts`,
  },
  {
    promise: 'P-IMG-09',
    what: 'what is set aside is forwarded',
    file: `${intake}/arrivals.ts`,
    find: "if (state === 'current' && !arrival.isFetched) onKept(instance)",
    replace: 'if (!arrival.isFetched) onKept(instance)',
    tests: [`${intake}/receive.test.ts`, 'electron/gateway/forwarding/forwarding-set-aside.test.ts'],
  },
  {
    promise: 'P-FWD-07',
    what: 'images that were fetched from an archive are sent on',
    file: `${intake}/arrivals.ts`,
    find: "if (state === 'current' && !arrival.isFetched) onKept(instance)",
    replace: "if (state === 'current') onKept(instance)",
    tests: [`${intake}/receive.test.ts`, `${intake}/seeding.test.ts`],
  },
  {
    promise: 'P-IMG-10',
    what: 'images are taken though the disk is nearly full',
    file: `${intake}/receive.ts`,
    find: 'if (disk.takesImages()) return',
    replace: "if (disk.storage().state !== 'read-only') return",
    tests: `${intake}/receive.test.ts`,
  },
  {
    promise: 'P-IMG-11',
    what: 'a transfer that broke off leaves its part in the spool',
    file: `${intake}/receive.ts`,
    find: 'if (!isKept && (file === undefined || !instances.has(file))) await part.discard()',
    replace: 'if (!isKept && file !== undefined && !instances.has(file)) await part.discard()',
    tests: `${intake}/receive.test.ts`,
  },
  {
    promise: 'P-IMG-13',
    what: 'files without rows are removed though the database is older than they are',
    file: `${intake}/orphans.ts`,
    find: `  if (orphans.length > most) {
    say(`,
    replace: `  if (orphans.length > most * 1000) {
    say(`,
    tests: `${intake}/orphans.test.ts`,
  },
  {
    promise: 'P-IMG-14',
    what: 'after a power failure only the length of a file is compared',
    file: `${intake}/unproven.ts`,
    find: 'return length === bytes - dataSetOffset && checksum === expected',
    replace: 'return length === bytes - dataSetOffset',
    tests: `${intake}/unproven.test.ts`,
  },
  {
    promise: 'P-IMG-14',
    what: 'rows are taken back though the disk of the images is missing',
    file: `${intake}/unproven.ts`,
    find: 'if (unproven.length > Math.max(FEW, proven) || (proven === 0 && unproven.length > 1)) {',
    replace: 'if (unproven.length > Math.max(FEW, proven) * 1000) {',
    tests: `${intake}/unproven.test.ts`,
  },
  {
    promise: 'P-IMG-15',
    what: 'images without a patient ID do not differ from the worklist row',
    file: `${intake}/mismatch.ts`,
    find: 'received: (header) => header.patientId, isSame: isEqual, isAlwaysCopied: true }',
    replace: 'received: (header) => header.patientId, isSame: isEqual }',
    tests: `${intake}/mismatch.test.ts`,
  },
  {
    promise: 'P-IMG-15',
    what: 'a mismatch stays as it was found when other values differ',
    file: `${intake}/mismatch.ts`,
    find: 'JSON.stringify([before.fields, before.amongImages]) === JSON.stringify([fields, amongImages])',
    replace: 'before.fields.length === fields.length && before.amongImages.length === amongImages.length',
    tests: `${intake}/mismatch.test.ts`,
  },
  {
    promise: 'P-IMG-08',
    what: 'an image that is in its place can be discarded',
    file: `${intake}/quarantine.ts`,
    find: `        if (instance.state !== 'quarantined') return undefined
        instances.remove(instanceId)`,
    replace: `        if (instance.state === 'superseded') return undefined
        instances.remove(instanceId)`,
    tests: `${intake}/quarantine.test.ts`,
  },
])
