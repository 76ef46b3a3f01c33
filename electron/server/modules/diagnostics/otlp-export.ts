import type { Actor } from '#server/audit-log/audit.ts'
import { readBoundSecret, setBoundSecret } from '#server/configuration/bound-secrets.ts'
import { hasSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { onLogLine } from '#server/platform/log.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { Metrics } from './metrics.ts'
import { otlpLog } from './otlp-logs.ts'
import { otlpMetrics } from './otlp-metrics.ts'

export const OTLP_SECRET = 'otlp.authorization'
/** Log lines that wait for the collector; further ones are dropped. */
const MAX_LINES = 2048
const LINES_AT_ONCE = 256
const LOG_DELAY_MS = 5000
const TIMEOUT_MS = 10_000

/** The result of the last export; `at` is null before the first. */
export interface ExportState {
  readonly at: number | null
  readonly isOk: boolean
  /** Log lines that found the queue full since the export began. */
  readonly dropped: number
}

/**
 * Sends metrics and log lines to an OpenTelemetry collector (OTLP over HTTP, JSON). Nothing waits
 * for the collector: while it does not answer, metrics of that time are missing, and log lines are
 * dropped once the queue is full.
 */
export class OtlpExport implements AsyncDisposable {
  readonly #context: Context
  readonly #metrics: Pick<Metrics, 'values'>
  readonly #version: string
  readonly #since = Date.now()
  readonly #stopListening: () => void
  #running: Promise<AsyncDisposable | undefined> = Promise.resolve(undefined)
  #state: ExportState = { at: null, isOk: true, dropped: 0 }
  /** Lines that were given to the export and are neither sent nor given up yet. */
  #waiting = 0

  constructor(context: Context, metrics: Pick<Metrics, 'values'>, version: string) {
    this.#context = context
    this.#metrics = metrics
    this.#version = version
    this.#restart()
    const unwatch = context.settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('otlp.') || key.startsWith('clinic.'))) this.#restart()
    })
    const unsubscribe = context.database.subscribe('secrets', () => this.#restart())
    this.#stopListening = () => {
      unwatch()
      unsubscribe()
    }
  }

  get state(): ExportState {
    return this.#state
  }

  get hasSecret(): boolean {
    return hasSecret(this.#context, OTLP_SECRET)
  }

  /** The value of the header Authorization; null removes it. @throws ApiError refused */
  setSecret(secret: string | null, actor: Actor): void {
    setOtlpSecret(this.#context, secret, actor)
  }

  #restart(): void {
    const former = this.#running
    this.#running = former
      .then((running) => running?.[Symbol.asyncDispose]())
      .then(() => this.#open())
      .catch((error: unknown) => {
        this.#context.log.error({ err: error }, 'the export to OpenTelemetry did not start')
        return undefined
      })
  }

  async #open(): Promise<AsyncDisposable | undefined> {
    const { settings, log, isSafe } = this.#context
    const url = settings.get('otlp.url')
    // In safe mode nothing is sent.
    if (isSafe || !settings.get('otlp.isOn') || url === null) return undefined
    // Loaded where it is used: most gateways do not.
    const otel = await import('./otlp-sdk.ts')
    const intervalMs = settings.get('otlp.seconds') * 1000
    const authorities = settings.get('otlp.authorities')
    const secret = readBoundSecret(this.#context, OTLP_SECRET, new URL(url).origin)
    const sdk = otel.openSdk({
      url: url.replace(/\/+$/, ''),
      headers: secret === undefined ? {} : { authorization: secret },
      ...(authorities !== null && { authorities }),
      ...{ intervalMs, timeoutMs: Math.min(TIMEOUT_MS, intervalMs) },
      ...{ maxLines: MAX_LINES, linesAtOnce: LINES_AT_ONCE, logDelayMs: LOG_DELAY_MS },
      attributes: {
        ...{ 'service.name': 'isthmus', 'service.version': this.#version },
        'service.instance.id': settings.get('clinic.id') ?? 'unknown',
        'isthmus.site': settings.get('clinic.name'),
      },
      collect: async () =>
        otlpMetrics(await this.#metrics.values(), hrTime(this.#since), hrTime(Date.now())),
      onExported: (isOk, lines) => this.#noteExport(isOk, lines),
    })
    const minLevel = settings.get('otlp.logLevel')
    const stop =
      minLevel === 'off' ? () => {} : onLogLine(log, (line) => this.#emit(sdk, line, minLevel))
    return {
      [Symbol.asyncDispose]: async () => {
        stop()
        await sdk[Symbol.asyncDispose]()
        this.#waiting = 0
      },
    }
  }

  #emit(
    sdk: { emit(log: object): void },
    line: string,
    least: Parameters<typeof otlpLog>[1],
  ): void {
    const entry = otlpLog(line, least)
    if (!entry) return
    if (this.#waiting >= MAX_LINES) {
      this.#state = { ...this.#state, dropped: this.#state.dropped + 1 }
      return
    }
    this.#waiting++
    sdk.emit(entry)
  }

  /** Logged when it changes, and not at each export. */
  #noteExport(isOk: boolean, lines: number): void {
    this.#waiting = Math.max(0, this.#waiting - lines)
    const { isOk: wasOk, dropped } = this.#state
    this.#state = { at: Date.now(), isOk, dropped }
    if (isOk === wasOk) return
    if (isOk) this.#context.log.info({ dropped }, 'the OpenTelemetry collector answers again')
    else this.#context.log.warn('the OpenTelemetry collector does not answer')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    const running = await this.#running
    await running?.[Symbol.asyncDispose]()
  }
}

/** The value of the header Authorization; null removes it. @throws ApiError refused */
export function setOtlpSecret(context: Context, secret: string | null, actor: Actor): void {
  const url = context.settings.get('otlp.url')
  if (url === null && secret !== null)
    throw new ApiError('refused', message('diagnostics.otlp-no-address'))
  const secretEntry = { name: OTLP_SECRET, action: 'otlp.secret' }
  setBoundSecret(context, secretEntry, url === null ? '' : new URL(url).origin, secret, actor)
}

/** Seconds and nanoseconds. */
const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000]
