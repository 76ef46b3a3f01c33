import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Context } from '#server/context.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { AssociationObserver } from '#server/dicom/dimse/service.ts'
import { overdueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import type { People } from '#server/modules/users/people.ts'
import { type Clock, instantOf, msOf } from '#server/platform/clock.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import {
  CALL_LABELS,
  OUTBOX_KINDS,
  REJECTION_LABELS,
  rejectionLabel,
  STATUS_LABELS,
  statusLabel,
} from './metric-labels.ts'
import { type Totals, totalsOf } from './total-queries.ts'

/** Counting all stored objects reads the database, so the result is cached for this time. */
const TOTALS_CACHE_MS = 10 * 60_000
/** The backup folder may be on a slow network share, so its state is cached for this time. */
const BACKUP_CACHE_MS = 60_000
// Histogram buckets in seconds. A worklist query takes 8 s at most, a call of a partner 60 s.
const FIND_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
const CALL_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * Metrics of the gateway for Prometheus, without personal data. docs/MONITORING.md describes each.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #devices = deviceMetrics(this.#registry)
  readonly #calls = counter(
    this.#registry,
    'webhook_calls_total',
    'Calls of partners, by event and outcome.',
    { event: EVENT_TYPES, outcome: CALL_LABELS },
  )
  readonly #callSeconds = new Histogram({
    name: 'isthmus_webhook_seconds',
    help: 'From a call to the last byte of its answer.',
    labelNames: ['event'] as const,
    buckets: CALL_BUCKETS_SECONDS,
    registers: [this.#registry],
  })
  readonly #failedSignIns = counter(
    this.#registry,
    'sign_ins_failed_total',
    'Attempts to sign in to the window that failed.',
    {},
  )

  /**
   * The functions are called whenever the metrics are read.
   * @param newestBackupAt resolves with `undefined` if there is no backup or its folder cannot be
   *   read
   */
  constructor(
    context: Context,
    version: string,
    openAssociations: () => number,
    storage: () => Status['storage'],
    forwards: () => Status['forwards'],
    newestBackupAt: () => Promise<string | undefined>,
  ) {
    const registry = this.#registry
    new Gauge({
      name: 'isthmus_build_info',
      help: 'Always 1; what runs.',
      labelNames: ['version', 'node', 'schema'],
      registers: [registry],
    }).set({ version, node: process.version, schema: String(MIGRATIONS.length) }, 1)
    gauge(registry, 'safe_mode', '1 in safe mode: no device is served, nothing is sent.', () =>
      Number(context.isSafe),
    )
    gauge(
      registry,
      'associations_open',
      'Associations of devices that are open now.',
      openAssociations,
    )
    addOutbox(registry, context)
    gauge(
      registry,
      'forwards_waiting',
      'Instances that wait for their destination.',
      () => forwards().waiting,
    )
    gauge(
      registry,
      'forwards_failed',
      'Instances whose way to a destination was given up.',
      () => forwards().failed,
    )
    addTotals(registry, context)
    addDisk(registry, storage)
    addBackupAge(registry, context.clock, newestBackupAt)
  }

  /** Wraps the observer and counts its events. */
  observing(observer: AssociationObserver): AssociationObserver {
    const { associations, rejections, endings, finds, findSeconds, stores, storeBytes } =
      this.#devices
    return {
      opened(...opening) {
        associations.inc({ outcome: 'accepted' })
        observer.opened(...opening)
      },
      rejected(association, rejection, services, request) {
        associations.inc({ outcome: 'rejected' })
        rejections.inc({ reason: rejectionLabel(rejection) })
        observer.rejected(association, rejection, services, request)
      },
      answered(association, answer) {
        const outcome = statusLabel(answer.status)
        if (answer.commandField === COMMAND_FIELD['C-FIND-RQ']) {
          finds.inc({ outcome })
          findSeconds.observe(answer.ms / 1000)
        } else if (answer.commandField === COMMAND_FIELD['C-STORE-RQ']) {
          stores.inc({ outcome })
          storeBytes.inc({ outcome }, answer.bytes)
        }
        observer.answered(association, answer)
      },
      closed(association, how) {
        endings.inc({ how: how.kind })
        observer.closed(association, how)
      },
    }
  }

  /** Counts a completed call of a partner. */
  noteCall({ type, fault, tookMs }: Pick<PartnerOutcome, 'type' | 'fault' | 'tookMs'>): void {
    this.#calls.inc({ event: type, outcome: fault ?? 'accepted' })
    // A call that was not made has no duration.
    if (fault === null || !NOT_CALLED_OUTCOMES.has(fault))
      this.#callSeconds.observe({ event: type }, tookMs / 1000)
  }

  /** Wraps the user service and counts failed sign-ins. */
  watching(people: People): People {
    return {
      ...people,
      signIn: (email, password, more) =>
        people.signIn(email, password, more).catch((error: unknown) => {
          if (isFailure(error, more?.code)) this.#failedSignIns.inc()
          throw error
        }),
    }
  }

  /** The current values, for OpenTelemetry. */
  async values(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    return [
      ...(await this.#registry.getMetricsAsJSON()),
      ...(await processMetrics().getMetricsAsJSON()),
    ]
  }

  async text(): Promise<{ readonly contentType: string; readonly text: string }> {
    return {
      contentType: this.#registry.contentType,
      text: `${await this.#registry.metrics()}${await processMetrics().metrics()}`,
    }
  }
}

function counter<T extends string>(
  registry: Registry,
  name: string,
  help: string,
  labels: { readonly [K in T]: readonly string[] },
): Counter<T> {
  const labelNames = Object.keys(labels) as T[]
  const metric = new Counter<T>({
    name: `isthmus_${name}`,
    help,
    labelNames,
    registers: [registry],
  })
  // Initialized with 0, so that the first event is visible as an increase.
  for (const values of combinations(labels)) metric.inc(values, 0)
  return metric
}

function gauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  new Gauge({
    ...{ name: `isthmus_${name}`, help, registers: [registry] },
    async collect() {
      const value = await read()
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
}

const deviceMetrics = (registry: Registry) => ({
  associations: counter(registry, 'associations_total', 'Associations that devices asked for.', {
    outcome: ['accepted', 'rejected'],
  }),
  rejections: counter(
    registry,
    'associations_rejected_total',
    'Associations rejected, by reason.',
    { reason: REJECTION_LABELS },
  ),
  endings: counter(registry, 'associations_ended_total', 'Connections of devices that ended.', {
    how: ['released', 'aborted'],
  }),
  finds: counter(registry, 'c_find_total', 'Worklist queries answered (C-FIND), by outcome.', {
    outcome: STATUS_LABELS,
  }),
  findSeconds: new Histogram({
    name: 'isthmus_c_find_seconds',
    help: 'From a worklist query to its final response.',
    buckets: FIND_BUCKETS_SECONDS,
    registers: [registry],
  }),
  stores: counter(
    registry,
    'c_store_instances_total',
    'Instances that devices sent (C-STORE), by outcome.',
    { outcome: STATUS_LABELS },
  ),
  storeBytes: counter(registry, 'c_store_bytes_total', 'Bytes of their data sets, by outcome.', {
    outcome: STATUS_LABELS,
  }),
})

function addOutbox(registry: Registry, { database, clock }: Context): void {
  const add = (
    name: string,
    help: string,
    of: (rows: ReturnType<typeof overdueOutboxJobs>) => number,
  ) =>
    new Gauge({
      ...{ name: `isthmus_${name}`, help, labelNames: ['kind'] as const, registers: [registry] },
      collect() {
        for (const kind of OUTBOX_KINDS)
          this.set({ kind }, of(overdueOutboxJobs(database, kind, instantOf(clock()))))
      },
    })
  add('outbox_waiting', 'What waits to leave the gateway, by kind.', ({ count }) => count)
  add(
    'outbox_oldest_seconds',
    'Age of the oldest that waits, by kind; 0 where nothing does.',
    ({ since }) => (since === null ? 0 : Math.max(0, (clock() - msOf(since)) / 1000)),
  )
}

function addTotals(registry: Registry, { database, clock }: Context): void {
  const totals = cacheFor(clock, TOTALS_CACHE_MS, () => totalsOf(database))
  const add = (name: string, help: string, of: keyof Totals) =>
    gauge(registry, name, help, async () => (await totals())?.[of])
  add('images', 'Instances kept, those set aside left out.', 'instances')
  add('images_bytes', 'Bytes of their files.', 'instanceBytes')
  add('scribe_studies', 'Studies for reporting.', 'scribeStudies')
  add('viewer_studies', 'Studies for the viewer.', 'viewerStudies')
  add('reports', 'Reports, drafts included.', 'reports')
}

function addDisk(registry: Registry, storage: () => Status['storage']): void {
  gauge(registry, 'disk_free_bytes', 'Free on the disk of the images.', () => storage().freeBytes)
  gauge(registry, 'disk_size_bytes', 'Of the whole disk.', () => storage().totalBytes)
  gauge(registry, 'disk_takes_images', '1 where images are taken.', () =>
    Number(['ok', 'low'].includes(storage().state)),
  )
}

function addBackupAge(
  registry: Registry,
  clock: Clock,
  newestBackupAt: () => Promise<string | undefined>,
): void {
  const newest = cacheFor(clock, BACKUP_CACHE_MS, newestBackupAt)
  gauge(
    registry,
    'backup_age_seconds',
    'Since the newest backup was made; absent where there is none.',
    async () => {
      const at = await newest()
      return at === undefined ? undefined : Math.max(0, (clock() - msOf(at)) / 1000)
    },
  )
}

const NOT_CALLED_OUTCOMES: ReadonlySet<string> = new Set([
  'no-endpoint',
  'circuit-open',
  'forbidden-address',
])

/** Being asked for the two-factor code is not a failed sign-in. */
const isFailure = (error: unknown, code: string | undefined): boolean =>
  error instanceof ApiError &&
  !(code === undefined && error.errors.some(({ path }) => path === 'body.code'))

/**
 * The default metrics of the process, created on first use because monitoring the event loop has a
 * small cost. There must be only one instance per process.
 */
let processRegistry: Registry | undefined
function processMetrics(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}

/**
 * Caches the result of `ask` for `ms` milliseconds; a failure is cached as `undefined`. Concurrent
 * callers share one call.
 */
function cacheFor<T>(
  clock: Clock,
  ms: number,
  ask: () => Promise<T>,
): () => Promise<T | undefined> {
  let at = Number.NEGATIVE_INFINITY
  let answer: Promise<T | undefined> = Promise.resolve(undefined)
  return () => {
    const now = clock()
    if (Math.abs(now - at) >= ms) {
      at = now
      answer = ask().catch(() => undefined)
    }
    return answer
  }
}

function combinations<T extends string>(
  labels: { readonly [K in T]: readonly string[] },
): Record<T, string>[] {
  return (Object.entries(labels) as [T, readonly string[]][]).reduce<Record<T, string>[]>(
    (found, [name, values]) =>
      found.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{} as Record<T, string>],
  )
}
