import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { AssociationRecord } from '#shared/contract/dashboard-activity.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { TracedAssociation, TracedMessage } from '#shared/contract/service-visit.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AssociationLog } from './association-log.ts'
import { maskUids, rejectionText, supportTextOf } from './association-support.ts'
import type { AssociationTraces } from './association-traces.ts'
import { tracedMessage } from './traced-messages.ts'

/** Associations on the page and in the log of a device. */
const MAX_ASSOCIATIONS = 20

/** What the engineer does about a rejection, by why the gateway rejected the association. */
const REMEDIES: Readonly<Record<string, Message>> = {
  'devices.not-listed': message('devices.remedy-not-listed'),
  'devices.switched-off': message('devices.remedy-switched-off'),
  'devices.no-ae-title': message('devices.remedy-no-ae-title'),
  'devices.called-another': message('devices.remedy-called-another'),
  'devices.title-of-tls': message('devices.remedy-tls'),
  'devices.tls-required': message('devices.remedy-tls'),
  'devices.certificate-missing': message('devices.remedy-certificate'),
  'devices.certificate-not-trusted': message('devices.remedy-certificate'),
  'devices.certificate-differs': message('devices.remedy-certificate'),
  'dicom.limit': message('devices.remedy-limit'),
  'dicom.limit-of-device': message('devices.remedy-limit'),
  'dicom.limit-of-host': message('devices.remedy-limit'),
  'dicom.limit-unlisted': message('devices.remedy-limit'),
  'dicom.limit-unlisted-of-host': message('devices.remedy-limit'),
}

/** Reads the messages of devices for the engineer who looks after them. */
export class ServiceVisits {
  readonly #context: Context
  readonly #log: AssociationLog
  readonly #traces: AssociationTraces

  constructor(context: Context, log: AssociationLog, traces: AssociationTraces) {
    this.#context = context
    this.#log = log
    this.#traces = traces
  }

  /**
   * The newest associations of the device: those with its AE title, wherever they came from, and
   * those of unknown callers at its address, because one of the two is often entered wrongly.
   */
  async associationsOf(device: Device): Promise<TracedAssociation[]> {
    const records = await this.#recordsOf(device)
    return records.map((record) => this.#traced(record))
  }

  /** The same as text that may leave the clinic: in English, times in UTC. */
  async textOf(device: Device, version: string): Promise<string> {
    const about = {
      version,
      aeTitle: this.#context.settings.get('dimse.aeTitle'),
      now: instantOf(this.#context.clock()),
    }
    const records = await this.#recordsOf(device)
    const parts = records.map((record) => {
      const { messages, omitted } = this.#traced(record)
      return [
        supportTextOf(record, about, this.#traces.of(record.association.associationId)),
        'Messages',
        ...(messages.length === 0 ? ['  None are kept.'] : messages.flatMap(messageLines)),
        ...(omitted > 0 ? [`  and ${omitted} more that were not kept`] : []),
        '',
      ].join('\n')
    })
    const head = `Connections of ${device.aeTitle}, newest first. Values that may identify a patient are replaced.`
    return [head, '', ...parts].join('\n')
  }

  /** The same as data. */
  async jsonOf(device: Device, version: string): Promise<string> {
    const associations = (await this.associationsOf(device)).map((one) => ({
      ...one,
      association: {
        ...one.association,
        detail: one.association.detail && englishText(one.association.detail),
      },
      remedy: one.remedy && englishText(one.remedy),
    }))
    const now = instantOf(this.#context.clock())
    const about = { isthmus: version, now, device: device.aeTitle }
    return JSON.stringify({ ...about, associations }, maskString, 2)
  }

  /**
   * The messages of one of these associations with the values that may identify a patient. Audited.
   * @throws ApiError not-found
   */
  async valuesOf(device: Device, associationId: string, actor: Actor): Promise<TracedMessage[]> {
    const records = await this.#recordsOf(device)
    const record = records.find(({ association }) => association.associationId === associationId)
    const trace = this.#traces.of(associationId)
    if (!trace || !record) throw new ApiError('not-found', message('devices.no-such-connection'))
    this.#context.database.transaction(() =>
      note(this.#context, actor, 'device.read-values', device.deviceId, {
        openedAt: record.association.openedAt,
        messages: trace.exchanges.length,
      }),
    )
    return trace.exchanges.map((exchange) => tracedMessage(exchange, true))
  }

  async #recordsOf({ aeTitle, address, lastAddress }: Device) {
    const page = { cursor: undefined, limit: MAX_ASSOCIATIONS }
    const sameTitlePage = await this.#log.list({ show: 'all', aeTitle }, page)
    const from = address ?? lastAddress
    const rowsByAddress =
      from === null || from.includes('/')
        ? []
        : (await this.#log.list({ show: 'all', address: from }, page)).items.filter(
            (one) => one.deviceId === null && one.aeTitle !== aeTitle,
          )
    const newest = [...sameTitlePage.items, ...rowsByAddress]
      .sort((a, b) => (a.openedAt < b.openedAt ? 1 : a.openedAt > b.openedAt ? -1 : 0))
      .slice(0, MAX_ASSOCIATIONS)
    return Promise.all(newest.map(({ associationId }) => this.#log.read(associationId)))
  }

  #traced({ association, terms }: Omit<AssociationRecord, 'supportText'>): TracedAssociation {
    const trace = this.#traces.of(association.associationId)
    const { how, detail } = association
    return {
      association,
      terms: terms && {
        ...terms,
        contexts: terms.contexts.map((context) => ({
          ...context,
          transferSyntaxes: context.transferSyntaxes.map(nameOfUid),
          transferSyntax: context.transferSyntax && nameOfUid(context.transferSyntax),
        })),
      },
      rejection: trace?.rejection ? rejectionText(trace.rejection) : null,
      remedy: how === 'rejected' ? ((detail && REMEDIES[detail.code]) ?? null) : null,
      isTraced: trace !== undefined,
      messages: trace?.exchanges.map((exchange) => tracedMessage(exchange, false)) ?? [],
      omitted: trace?.omitted ?? 0,
    }
  }
}

function messageLines(traced: TracedMessage): string[] {
  const { at, type, service, contextId, transferSyntax, request, response } = traced
  const { dataSet, bytes, responses, ms, status, meaning } = traced
  const code = status.toString(16).toUpperCase().padStart(4, '0')
  return [
    `  ${at}  ${type} of ${service}, context ${contextId}, ${transferSyntax}`,
    ...request.map(({ keyword, value }) => `      ${keyword} ${value ?? '(replaced)'}`),
    ...(dataSet ?? []).map(({ depth, tag, keyword, vr, value, length }) =>
      `      ${'  '.repeat(depth)}${tag} ${vr} ${keyword} ${value ?? `(${length} bytes, replaced)`}`.trimEnd(),
    ),
    ...(dataSet === null && bytes > 0 ? [`      data set of ${bytes} bytes, not kept`] : []),
    `      → ${code} ${meaning}; ${responses} pending responses; ${ms} ms`,
    ...response.map(({ keyword, value }) => `      ${keyword} ${value ?? '(replaced)'}`),
  ]
}

/** Masks UIDs of studies and images in texts of the log, whose messages may name them. */
const maskString = (name: string, value: unknown): unknown =>
  typeof value === 'string' && !SOFTWARE_FIELDS.has(name) ? maskUids(value) : value
/** UIDs that the device's software has in common with others of its kind. */
const SOFTWARE_FIELDS = new Set(['abstractSyntax', 'implementationClassUid'])
