import type { PowerFailure } from './power-failures.ts'
import type { Promised, Recording } from './recording.ts'
import type { DiskEvent } from './trace.ts'

/** A fault that the gateway could have, made of the recording of one that does not have it. */
export interface PlantedFault {
  readonly name: string
  plant(recording: Recording): Pick<Recording, 'events' | 'acknowledged'>
  /** When the power fails: by default when something of this kind is promised. */
  readonly at: Promised['kind'] | ((recording: Pick<Recording, 'events'>) => PowerFailure)
  /** What has to be found. */
  readonly finds: RegExp
}

const IMAGE_LOST = /no file has what was acknowledged/

/** The disk ignores syncs of this. */
const unsynced = (
  name: string,
  label: RegExp,
  at: Promised['kind'],
  finds: RegExp,
  isMet: (event: DiskEvent) => boolean = () => true,
): PlantedFault => ({
  name: `no sync of ${name}`,
  plant: (recording) => ({
    ...recording,
    // In their place, so that all the others keep their numbers.
    events: changedSome(recording.events, (event) =>
      event.kind === 'sync' && label.test(event.label) && isMet(event)
        ? { ...event, upTo: 0 }
        : event,
    ),
  }),
  ...{ at, finds },
})

/** The data key gets its name before it is synced, and the power fails between the two. */
const RENAMED_FIRST: PlantedFault = {
  name: 'the data key is renamed before its sync',
  plant({ events }) {
    const at = events.findIndex(
      ({ kind, label }) => kind === 'sync' && label.endsWith('data.key.part'),
    )
    const [sync, rename] = events.slice(at, at + 2)
    if (sync?.kind !== 'sync' || rename?.kind !== 'rename')
      throw new Error('There is nothing of the kind')
    return { events: events.toSpliced(at, 2, rename, sync), acknowledged: [] }
  },
  at: ({ events }) => ({
    after: 1 + events.findIndex(({ kind }) => kind === 'rename'),
    survivors: 'names',
  }),
  finds: /does not start/,
}

/** What is promised is promised before the log of the database is synced. */
const toldEarly = (at: Promised['kind'], finds: RegExp): PlantedFault => ({
  name: `${at} is acknowledged before the commit is durable`,
  plant: (recording) => ({
    ...recording,
    acknowledged: recording.acknowledged.map((one) => {
      const synced = recording.events
        .slice(0, one.at)
        .findLastIndex(({ kind, label }) => kind === 'sync' && label.endsWith('.sqlite-wal'))
      return one.kind === at ? { ...one, at: synced } : one
    }),
  }),
  ...{ at, finds },
})

export const PLANTED: readonly PlantedFault[] = [
  unsynced(
    'image files',
    /^\w+ data\/(spool|spare|images\/..\/)/,
    'image',
    IMAGE_LOST,
    ({ label }) => !/\/[0-9a-f]{32}$/.test(label),
  ),
  unsynced('the folder of an image', /^\w+ data\/images\/..\/[0-9a-f]{32}$/, 'image', IMAGE_LOST),
  unsynced('the folders above it', /^\w+ data\/images(\/..)?$/, 'image', IMAGE_LOST),
  unsynced(
    'group commits',
    /\.sqlite-wal$/,
    'image',
    IMAGE_LOST,
    (event) => event.kind === 'sync' && event.byThread,
  ),
  unsynced('the log of the database', /\.sqlite-wal$/, 'study', /The study \S+ is lost/),
  unsynced(
    'the database at a checkpoint',
    /data\/gateway\.sqlite$/,
    'commitment',
    /gateway\.sqlite is missing, although this data folder was in use/,
  ),
  unsynced('the data key', /data\.key\.part$/, 'recovery-key', /does not start/),
  unsynced(
    'the names in the data folder',
    /^\w+ data$/,
    'recovery-key',
    /The recovery key opens nothing/,
  ),
  unsynced(
    'the name of the data folder',
    /^\w+ $/,
    'recovery-key',
    /The recovery key opens nothing/,
    (event) => event.kind === 'sync' && event.upTo > 2,
  ),
  unsynced(
    'the recovery key',
    /recovery\.key\.part$/,
    'recovery-key',
    /The recovery key opens nothing/,
  ),
  unsynced(
    'the sealed database of a backup',
    /^\w+ backups\/.*database\.sealed$/,
    'backup',
    /does not open/,
  ),
  unsynced(
    'the manifest of a backup',
    /^\w+ backups\/.*backup\.json$/,
    'backup',
    /The backup \S+ is lost/,
  ),
  unsynced(
    'the names in a backup',
    /^\w+ backups\/isthmus-[^/]*$/,
    'backup',
    /The backup \S+ is lost/,
  ),
  unsynced('the name of a backup', /^\w+ backups$/, 'backup', /The backup \S+ is lost/),
  RENAMED_FIRST,
  toldEarly('image', IMAGE_LOST),
  toldEarly('study', /The study \S+ is lost/),
  toldEarly('signed', /The report of \S+ is lost/),
]

function changedSome(
  events: readonly DiskEvent[],
  change: (event: DiskEvent) => DiskEvent,
): DiskEvent[] {
  const changed = events.map(change)
  if (changed.every((event, index) => event === events[index]))
    throw new Error('There is nothing of the kind')
  return changed
}

/** When the power fails for the fault to show, in the order in which it is tried. */
export function failuresFor(
  { at }: PlantedFault,
  recording: Pick<Recording, 'events' | 'acknowledged'>,
): PowerFailure[] {
  if (typeof at === 'function') return [at(recording)]
  return recording.acknowledged
    .filter(({ kind }) => kind === at)
    .map((one) => ({ after: one.at, survivors: 'nothing' }))
}
