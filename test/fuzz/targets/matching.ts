import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type DataSetLimits, readDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { SPECIFIC_CHARACTER_SET } from '#server/dicom/matching/key-text.ts'
import type { AnswerRows } from '#server/modules/worklist/answer.ts'
import {
  isExtraKeyword,
  ROOT_ATTRIBUTES,
  ROW_KEYWORDS,
  type RowKeyword,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  STEP_ATTRIBUTES,
} from '#server/modules/worklist/attributes.ts'
import {
  policyOf,
  type RowText,
  rowEncoder,
} from '#server/modules/worklist/character-set-fallback.ts'
import { IdentifierEncoder } from '#server/modules/worklist/identifier-encoder.ts'
import { applicableKeys, isMatch } from '#server/modules/worklist/matching.ts'
import { readQuery, type WorklistQuery } from '#server/modules/worklist/query.ts'
import { identifiersOf, makeResult, type ResultRules } from '#server/modules/worklist/result.ts'
import { rowAt, type WorklistRow } from '#server/modules/worklist/row.ts'
import { CHARACTER_SETS, type Device } from '#shared/contract/devices.ts'
import { perTier } from '../../support/tier.ts'
import { DATA_SET_TOKENS, mutateDataSet } from '../mutate-data-set.ts'
import { hold, QUICK, same, type Target } from '../target.ts'
import { DAY, worklistRows } from './worklist-rows.ts'

const {
  implicitLittleEndian,
  explicitLittleEndian,
  explicitBigEndian,
  deflatedExplicitLittleEndian,
} = TRANSFER_SYNTAX
const SYNTAXES = [explicitLittleEndian, implicitLittleEndian, explicitBigEndian] as const
const LIMITS: DataSetLimits = { elements: 4096, depth: 8, bytes: 1 << 20 }

/**
 * The identifier of a C-FIND from its bytes to the bytes of the answer. Two bytes before it choose
 * transfer syntax and device; the identifier of the deflated syntax is changed as it is before it
 * is deflated, so it is read as explicit.
 */
export const matching: Target = {
  name: 'matching',
  ...QUICK,
  mostBytes: 260 << 10,
  testExecutions: perTier(200, 3000),
  async open() {
    const rows = await worklistRows()
    return {
      mutate(input, random, other) {
        const rules = {
          mostBytes: matching.mostBytes,
          tokens: DATA_SET_TOKENS,
          other: () => other().subarray(2),
        }
        const syntax = SYNTAXES[(input[0] ?? 0) % SYNTAXES.length]
        const form = {
          explicit: syntax !== implicitLittleEndian,
          bigEndian: syntax === explicitBigEndian,
        }
        const choice = random.isOnce(4) ? random.bytes(2) : input.subarray(0, 2)
        return Buffer.concat([choice, mutateDataSet(input.subarray(2), random, form, rules)])
      },
      run: (input) => answered(input, rows),
    }
  },
}

async function answered(input: Buffer, rows: AnswerRows): Promise<string> {
  const [syntax, device] = [
    SYNTAXES[(input[0] ?? 0) % SYNTAXES.length] as string,
    deviceOf(input[1] ?? 0),
  ]
  const identifier = input.subarray(2)
  const query = understood(identifier, syntax, device)
  if (typeof query === 'string') return query
  // The answer goes out in another syntax now and then, as on another context.
  const answeredIn = (input[0] ?? 0) > 0xf0 ? deflatedExplicitLittleEndian : syntax
  const layout = new IdentifierEncoder(query, answeredIn, 'Clinic of tests')
  const textFor = rowEncoder(layout.texts, policyOf(device, query.characterSet))
  const { signal } = new AbortController()
  const rules: ResultRules = {
    askedFor: { dateStart: DAY, dateEnd: '2026-11-21' },
    maxRows: device?.maxRows ?? 500,
    now: { day: DAY, time: '090000' },
    closedSteps: undefined,
    hideStarted: false,
  }
  const result = await makeResult(rows, query, textFor, signal, rules)
  const counted = result.sent + result.filtered + result.withheld + result.cut
  hold(counted === rows.rows.length, () => `Of ${rows.rows.length} rows ${counted} have a verdict`)
  hold(
    result.chosen.length === result.sent && result.sent <= rules.maxRows,
    'More rows are sent than the device takes',
  )
  let sent = 0
  const identifiers = identifiersOf(rows, result.chosen, layout, textFor, signal)
  for await (const { bytes, ends } of identifiers) {
    let at = 0
    for (const end of ends) {
      const row = rowAt(rows.rows, result.chosen[sent++] ?? -1)
      hold(
        row.withheld === null && applicableKeys(query.keys, rows).every((key) => isMatch(key, row)),
        'A row is sent that does not match, or that no console may have',
      )
      tells(readDataSet(bytes.subarray(at, end), answeredIn, LIMITS), query, row, textFor(row))
      at = end
    }
    hold(at === bytes.length, 'There are bytes behind the last identifier')
  }
  hold(sent === result.sent, 'Another number of identifiers is written than was chosen')
  const kinds = [...new Set(query.received.map(({ matching: kind }) => kind))].sort()
  return `${kinds.join(' ')} ${result.sent === 0 ? 'none' : result.sent < 10 ? 'few' : 'many'} ${query.remarks.length > 0}`
}

function understood(
  identifier: Buffer,
  syntax: string,
  device: Device | undefined,
): WorklistQuery | string {
  try {
    return readQuery(Buffer.from(identifier), syntax, {
      callingAeTitle: 'CT1',
      device,
      today: DAY,
      daysBack: 1,
      daysForward: 1,
    })
  } catch (error) {
    if (!(error instanceof DimseError)) throw error
    hold(
      error.result.status === 0xa900,
      `A query is refused with ${error.result.status.toString(16)}`,
    )
    return error.message.replace(/\d+/g, 'n')
  }
}

/** A device by one byte; an unknown one by 0. */
function deviceOf(choice: number): Device | undefined {
  if (choice === 0) return undefined
  return {
    ...{
      deviceId: '3f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c3d',
      aeTitle: 'CT1',
      address: null,
      name: '',
      modality: 'CT',
      isEnabled: true,
    },
    ...{
      daysBack: null,
      daysForward: null,
      port: null,
      retrieval: 'none',
      profile: 'standard',
      hideStarted: false,
      tls: 'optional',
      certificate: null,
    },
    ...{
      createdAt: '2026-11-20T09:00:00.000Z',
      updatedAt: '2026-11-20T09:00:00.000Z',
      lastSeenAt: null,
      lastAddress: null,
    },
    characterSet: [null, ...CHARACTER_SETS][choice % (CHARACTER_SETS.length + 1)] ?? null,
    stationMode: choice & 0x20 ? 'strict' : 'echo',
    alwaysSendCharacterSet: (choice & 0x40) !== 0,
    countsBytes: (choice & 0x80) !== 0,
    maxRows: choice & 0x10 ? 7 : null,
  }
}

const EXACT: ReadonlySet<RowKeyword> = new Set([
  ...([
    'AccessionNumber',
    'PatientID',
    'StudyInstanceUID',
    'RequestedProcedureID',
    'ScheduledProcedureStepID',
  ] as const),
  ...([
    'ScheduledProcedureStepStartDate',
    'ScheduledProcedureStepStartTime',
    'Modality',
    'PatientBirthDate',
    'PatientSex',
  ] as const),
])

/** The identifier says of the row what the partner said, in letters that it can be read in. */
function tells(identifier: DataSet, query: WorklistQuery, row: WorklistRow, text: RowText): void {
  const step = identifier.find(({ tag }) => tag === SCHEDULED_PROCEDURE_STEP_SEQUENCE)?.value
  const items = !step || Buffer.isBuffer(step) ? [] : step
  hold(items.length <= 1, 'An answer has several steps')
  const declared = identifier.find(({ tag }) => tag === SPECIFIC_CHARACTER_SET)?.value
  const terms =
    Buffer.isBuffer(declared) && declared.length > 0
      ? withoutPadding(declared.toString('latin1')).split('\\')
      : []
  same('Another character set is declared than was used', terms.join('\\'), text.characterSet)
  for (const [table, elements] of [
    [ROOT_ATTRIBUTES, identifier],
    [STEP_ATTRIBUTES, items[0] ?? []],
  ] as const) {
    for (const { tag, vr, value } of elements) {
      const attribute = table.get(tag)
      if (attribute?.source !== 'row' || !Buffer.isBuffer(value)) continue
      const keyword = ROW_KEYWORDS.find((name) => name === attribute.keyword)
      if (!keyword) continue
      const { text: said, isExact } = decodeText(value, terms, vr)
      hold(
        isExact,
        () => `${keyword} cannot be read in the set that is declared, ${terms.join('\\')}`,
      )
      const plain = withoutPadding(said)
      if (EXACT.has(keyword) || text.remarks.length === 0)
        same(`${keyword} is not what the partner said`, plain, row.values[keyword].trimEnd())
      // Nobody needs the attributes that the interface does not list.
      else
        hold(
          plain !== '' || row.values[keyword] === '' || isExtraKeyword(keyword),
          `${keyword} is lost`,
        )
    }
  }
  const asked = [...query.root, ...query.step].map(({ tag }) => tag)
  const returned = [...identifier, ...(items[0] ?? [])].map(({ tag }) => tag)
  const extra = returned.find(
    (tag) =>
      !asked.includes(tag) &&
      tag !== SPECIFIC_CHARACTER_SET &&
      tag !== SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  )
  hold(extra === undefined, () => `It returns ${extra?.toString(16)}, which was not asked for`)
}
