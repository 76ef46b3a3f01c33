import type { Actor } from '#server/audit-log/audit.ts'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import type { Context } from '#server/context.ts'
import type { SpawnWorker } from '#server/dicom/transcoding/native-process.ts'
import { SANDBOX_PATH } from '#server/http/sandbox-requests.ts'
import type { HttpServer } from '#server/http/server.ts'
import type { PartnerOption } from '#server/modules/partners/service.ts'
import type { SandboxActions } from '#server/modules/sandbox/bench.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'

export interface GatewayOptions {
  /** The data folder; created if it is missing. */
  readonly folder: string
  readonly log: Log
  readonly version: string
  /** Folder of the built window. If it is missing, a page that says so is served instead. */
  readonly pageFolder: string
  /** Setting overrides for this run only. */
  readonly overrides?: SettingOverrides
  /** Stored as the clinic's default endpoint. */
  readonly partner?: PartnerOption
  /** A second listener for partners and browsers on the LAN, with the gateway's certificate. */
  readonly https?: { readonly host: string; readonly port: number }
  /** Starts the native DICOM module in a separate process; defaults to Node's `fork`. */
  readonly spawnWorker?: SpawnWorker | undefined
  /** The data key (32 bytes), if it is stored somewhere other than the folder's `data.key`. */
  readonly dataKey?: Buffer | undefined
  /** How the desktop app stores the data key; undefined when running as a service. */
  readonly keyStore?: KeyStoreState | undefined
  /** Called when a recovery key exists for this data key, so that its plain file can be removed. */
  readonly onRecoveryKey?: ((dataKey: Buffer) => void) | undefined
  /**
   * Serves only the window on this PC: no devices, no queued work, nothing sent (`serve
   * --safe-mode`).
   */
  readonly isSafe?: boolean | undefined
  /** The log file; undefined if the log goes to stderr. */
  readonly logFile?: string | undefined
  /** Reopens the gateway, after a backup has been staged to replace the database. */
  readonly restart?: (() => void) | undefined
  readonly clock?: Clock
  /** Set for the gateway of the sandbox, which has no port on the network. */
  readonly live?: LiveGateway
}

/** What the gateway of the sandbox knows of the live one. */
export interface LiveGateway {
  readonly publicBase: () => string
  /** TCP ports that webhooks must not be sent to. */
  readonly ports: () => readonly number[]
  /** Free disk space in gigabytes below which staff are warned. */
  readonly warnGigabytes: number
  /** Empties the sandbox after the request that asks for it. */
  readonly emptySandbox: (actor: Actor) => void
}

export interface Gateway extends AsyncDisposable {
  /** Base URL of the window on this PC. */
  readonly http: string
  /** Base URL of the TLS listener; undefined if there is none. */
  readonly https: string | undefined
  /** `AETITLE@HOST:PORT`; empty in safe mode. */
  readonly dimse: string
  /** `AETITLE@HOST:PORT` of the TLS listener; undefined if it is off or not listening. */
  readonly dimseTls: string | undefined
  /** Rejects with a StoreError if the database proves to be damaged: then dispose of the gateway. */
  readonly integrityCheck: Promise<void>
  readonly context: Context
  /** The calls of test keys; undefined in the live gateway. */
  readonly bench: SandboxActions | undefined
  /** Answers a request that another server received. */
  readonly answer: HttpServer['answer']
}

/** Disk space that the sandbox leaves beyond that of which staff are warned. */
const SPARE_GIGABYTES = 5
const MAX_GIGABYTES = 100_000

/**
 * The options of the gateway of the sandbox. Devices cannot reach it: its DICOM listener is on a
 * free port of this PC, for the simulated device.
 */
export const sandboxOptions = (
  { log, version, pageFolder, spawnWorker, clock }: GatewayOptions,
  folder: string,
  live: LiveGateway,
): GatewayOptions => ({
  ...{ folder, log, version, pageFolder },
  ...(spawnWorker && { spawnWorker }),
  ...(clock && { clock }),
  live: { ...live, publicBase: () => `${live.publicBase()}${SANDBOX_PATH}` },
  overrides: {
    ...{ 'dimse.host': '127.0.0.1', 'dimse.port': 0, 'dimse.tlsPort': null },
    'https.isOn': false,
    // Nobody is waiting for more images of an invented exam.
    'intake.idleSeconds': 1,
    'dicomweb.isOn': true,
    // The sandbox stops first where the disk is short, and test keys load the PC of the clinic less
    // than live ones.
    'intake.stopGigabytes': Math.min(live.warnGigabytes + SPARE_GIGABYTES, MAX_GIGABYTES),
    ...{ 'http.ratePerSecond': 20, 'http.rateBurst': 100 },
    // On every report, so that none is taken for one of a patient.
    'reports.letterhead': englishText(message('sandbox.letterhead')),
  },
})
