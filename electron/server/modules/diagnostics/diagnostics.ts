import { statSync } from 'node:fs'
import { arch, cpus, freemem, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { z } from 'zod'
import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { tableCounts } from '#server/database/database-contents.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { serveDownload } from '#server/http/file-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve } from '#server/http/operations.ts'
import { scanAssociations } from '#server/modules/devices/association-queries.ts'
import type { Listeners } from '#server/modules/devices/listeners.ts'
import { meterOf } from '#server/modules/events/meter.ts'
import { listEvents } from '#server/modules/events/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { type DiagnosticsFile, dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import type { ReadinessFinding } from '#shared/contract/dashboard-setup.ts'
import { SETTING_KEYS } from '#shared/contract/settings.ts'
import { englishText } from '#shared/messages/english.ts'
import { sentences } from '#shared/messages/message.ts'
import { logTail } from './diagnostics-log.ts'
import { type Masking, maskedSetting, maskingOf } from './diagnostics-masking.ts'

/** Information about the running gateway that is not in its data folder. */
interface RuntimeFacts {
  readonly version: string
  readonly listeners: Status['listeners']
  /** Computed once per bundle. */
  readonly readiness: Promise<readonly ReadinessFinding[]>
  readonly logFile: string
}

/** A file of the bundle. */
export interface DiagnosticsFileText {
  readonly name: string
  readonly text: string
}

export const LOG_LINES = 2000
const MAX_ASSOCIATIONS = 50
const MAX_EVENTS = 100
const METER_DAYS = 7
/** Maximum length of a file in the preview. */
const PREVIEW_CHARACTERS = 20_000
/** Log file of the desktop app. */
const LOG_FILE = join('logs', 'gateway.log')

type FileWriter = (
  context: Context,
  facts: RuntimeFacts,
  masking: Masking,
) => string | Promise<string>

/**
 * The files of the support bundle: English text without patient data, secrets, names and addresses.
 * Everything that users or other systems entered is masked or only counted.
 */
export async function diagnosticsOf(
  context: Context,
  version: string,
  listeners: Status['listeners'],
  readiness: () => Promise<readonly ReadinessFinding[]>,
  logFile = join(context.folder, LOG_FILE),
): Promise<readonly DiagnosticsFileText[]> {
  const facts = { version, listeners, readiness: readiness(), logFile }
  // A failure is handled when the page awaits the promise.
  facts.readiness.catch(() => undefined)
  const masking = maskingOf(context)
  const texts: DiagnosticsFileText[] = []
  for (const [name, page] of Object.entries(FILE_WRITERS)) {
    try {
      texts.push({ name, text: await page(context, facts, masking) })
    } catch (error) {
      // A page that fails does not prevent the others; its failure is information for support.
      texts.push({
        name,
        text: `This page could not be made: ${error instanceof Error ? error.name : 'unknown'}.\n`,
      })
    }
  }
  return texts
}

/** Previews of the files for the user before saving. */
export const previewsOf = (texts: readonly DiagnosticsFileText[]): DiagnosticsFile[] =>
  texts.map(({ name, text }) => ({
    name,
    bytes: Buffer.byteLength(text),
    text: text.slice(0, PREVIEW_CHARACTERS),
    isCut: text.length > PREVIEW_CHARACTERS,
  }))

/** The bundle as a ZIP archive. */
export const diagnosticsZip = (texts: readonly DiagnosticsFileText[], now: number): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(texts.map(({ name, text }) => [name, [strToU8(text), { mtime: now }]])),
    ),
  )

/**
 * Registers the preview and the download of the support bundle. Downloads are audited.
 * @param logFile log file (`serve --log-file`); the one of the desktop app by default
 */
export function serveDiagnostics(
  app: HttpApp,
  context: Context,
  version: string,
  listening: Listeners,
  readiness: () => Promise<readonly ReadinessFinding[]>,
  logFile: string | undefined,
): void {
  const texts = () => diagnosticsOf(context, version, listening.states(), readiness, logFile)
  serve(app, dashboardBackups.diagnostics, async () => ({ files: previewsOf(await texts()) }))
  serveDownload(
    app,
    '/dashboard/backups/diagnostics.zip',
    { access: dashboardBackups.diagnostics.access, query: z.object({}) },
    ({ user }) => {
      const now = context.clock()
      async function* content() {
        const files = await texts()
        note(context, userActor(user.userId), 'diagnostics.save', 'gateway', {
          files: files.length,
        })
        yield diagnosticsZip(files, now)
      }
      const timestamp = instantOf(now).slice(0, 16).replace(/[-:]/g, '').replace('T', '-')
      return {
        fileName: `isthmus-diagnostics-${timestamp}Z.zip`,
        mediaType: 'application/zip',
        content: content(),
      }
    },
  )
}

const FILE_WRITERS: Readonly<Record<string, FileWriter>> = {
  'about.txt': (context, { version }) =>
    lines(
      `Isthmus ${version}: support bundle, made on ${instantOf(context.clock())}.`,
      '',
      'Contains no patient names. Passwords, keys, tokens and certificates are not included.',
      'Names of people, devices and systems, their addresses, URLs, e-mail addresses and study UIDs are masked;',
      'within a file, the same device or address always has the same number.',
      '',
      'versions.txt       the program and what it runs on',
      'readiness.txt      setup checks and results',
      'settings.txt       all settings; for text settings, the length only',
      'listeners.txt      addresses at which the gateway listens',
      'storage.txt        database sizes and row counts',
      `associations.txt   the last ${MAX_ASSOCIATIONS} connections of devices`,
      'events.txt         outcome of partner calls, without content',
      `log.txt            the last ${LOG_LINES} lines of the log`,
    ),
  'versions.txt': (_, { version }) => {
    const { electron, chrome, node, v8, openssl } = process.versions
    const memory = process.memoryUsage()
    return keyValueTable([
      ['Isthmus', version],
      ['Node.js', node],
      ...(electron ? [['Electron', `${electron}, Chromium ${chrome ?? '?'}`] as const] : []),
      ['V8', v8],
      ['OpenSSL', openssl],
      ['System', `${platform()} ${release()} ${arch()}`],
      ['Processors', String(cpus().length)],
      ['Memory', `${formatMegabytes(totalmem())}, free ${formatMegabytes(freemem())}`],
      [
        'Process',
        `up ${Math.round(process.uptime())} s, resident ${formatMegabytes(memory.rss)}, heap ${formatMegabytes(memory.heapUsed)}`,
      ],
      ['Language', Intl.DateTimeFormat().resolvedOptions().locale],
      ['Time zone', Intl.DateTimeFormat().resolvedOptions().timeZone],
    ])
  },
  'readiness.txt': async (_, { readiness }, masking) =>
    lines(
      ...(await readiness).map(
        ({ check, verdict, sentence, remedy }) =>
          `${verdict.padEnd(5)}${check.padEnd(18)}${masking.text(englishText(sentences(sentence, remedy ?? undefined)))}`,
      ),
    ),
  'settings.txt': (context, _, masking) => {
    const unreadable = context.settings.unreadable()
    return lines(
      ...SETTING_KEYS.map(
        (key) => `${key.padEnd(34)}${maskedSetting(key, context.settings.get(key), masking)}`,
      ),
      ...(unreadable.length > 0 ? ['', `Cannot be read: ${unreadable.join(', ')}`] : []),
    )
  },
  'listeners.txt': (_, { listeners }, masking) =>
    lines(
      ...listeners.map(
        ({ name, address, isUp, detail }) =>
          `${name.padEnd(12)}${isUp ? 'up  ' : 'down'}  ${masking.text(address)}${detail ? `  ${masking.text(englishText(detail))}` : ''}`,
      ),
    ),
  'storage.txt': async (context) => {
    const { freeBytes } = context.imageFiles.space()
    const tables = await tableCounts(context.database)
    return lines(
      keyValueTable([
        ['Schema', String(MIGRATIONS.length)],
        ['Database', sizeOf(join(context.folder, DATABASE_FILE))],
        ['Its journal', sizeOf(join(context.folder, `${DATABASE_FILE}-wal`))],
        ['Free on the disk', formatMegabytes(freeBytes)],
      ]),
      ...tables.map(({ table, rows }) => `${String(rows).padStart(12)}  ${table}`),
    )
  },
  'associations.txt': (context, _, masking) =>
    lines(
      ...scanAssociations(context.database, {
        before: Number.MAX_SAFE_INTEGER,
        limit: MAX_ASSOCIATIONS,
        show: 'all',
      }).items.map(
        ({ openedAt, endedAt, deviceId, aeTitle, address, tls, how, detail, times, counts }) => {
          const who = masking.alias(deviceId === null ? 'caller' : 'device', aeTitle)
          const duration =
            endedAt === null ? '' : `, ${Date.parse(endedAt) - Date.parse(openedAt)} ms`
          const counted = Object.entries(counts).filter(([, count]) => count > 0)
          return [
            `${openedAt}  ${how}${duration}  ${who || 'nobody'} at ${masking.alias('address', address) || 'no address'}  ${tls || 'TCP'}`,
            ...(times > 1 ? [`${times} connections`] : []),
            ...counted.map(([name, count]) => `${count} ${name}`),
            ...(detail ? [`(${masking.text(englishText(detail))})`] : []),
          ].join('  ')
        },
      ),
    ),
  'events.txt': async (context, _, masking) =>
    lines(
      `Calls of the last ${METER_DAYS} days`,
      ...(await meterOf(context.database, { days: METER_DAYS }, context.clock())).map(
        ({ type, calls, accepted, withNotes, byOutcome, p50Ms, p95Ms }) =>
          `  ${type.padEnd(38)} ${calls} calls, ${accepted} accepted, ${withNotes} with notes, median ${p50Ms ?? '-'} ms, 95 % ${p95Ms ?? '-'} ms, ${JSON.stringify(byOutcome)}`,
      ),
      '',
      `The last ${MAX_EVENTS} events`,
      ...listEvents(context.database, { limit: MAX_EVENTS, show: 'all' }).items.map(
        ({ createdAt, type, state, outcome, attempts, notes, tookMs, isTest, endpointId }) =>
          `  ${createdAt}  ${type.padEnd(38)} ${state.padEnd(8)} ${outcome.padEnd(20)} ${attempts} attempts, ${notes} notes, ${Math.round(tookMs)} ms, ${masking.alias('endpoint', endpointId ?? '') || 'no endpoint'}${isTest ? ', test' : ''}`,
      ),
    ),
  'log.txt': async (_, { logFile }, masking) => {
    const tail = await logTail(logFile, LOG_LINES, masking)
    return tail.length > 0
      ? lines(...tail)
      : 'No log is kept in a file: it goes to the standard error stream of the gateway.\n'
  },
}

const lines = (...all: readonly string[]): string => `${all.join('\n').trimEnd() || 'None.'}\n`
const keyValueTable = (all: readonly (readonly [name: string, value: string])[]): string =>
  lines(...all.map(([name, value]) => `${`${name}:`.padEnd(18)}${value}`))
const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

function sizeOf(file: string): string {
  try {
    return formatMegabytes(statSync(file).size)
  } catch {
    return 'none'
  }
}
