import { QUARANTINE_REASONS } from '#shared/contract/quarantine.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { type DimseStatus, STATUS } from '../../electron/server/dicom/dimse/status.ts'
import { RETRY_SCHEDULES } from '../../electron/server/jobs/retry-schedules.ts'
import {
  FAILURE_REASONS,
  MAX_RETRY_PERIOD_MS,
} from '../../electron/server/modules/commitment/commitment.ts'
import { verdictOf } from '../../electron/server/modules/forwarding/verdict.ts'
import { FAULTS, faultResult } from '../../electron/server/modules/worklist/faults.ts'
import { hex4, table } from './markdown.ts'
import { errorCommentsIn, filesIn } from './source.ts'

/** A service of which we are the SCP and that has more to say than Success. */
export type Service = 'worklist' | 'storage' | 'steps' | 'commitment' | 'query' | 'retrieval'

type When = readonly [status: DimseStatus, when: string]

/** What every service can say of the operation queue, before it is asked. */
const OF_ALL: readonly When[] = [
  [0x0122, 'the SOP class of the request differs from that of the presentation context'],
  [0x0211, 'the service does not support this command'],
]

/**
 * Statuses of the final response by service: when each is sent. `conformance-statuses.test.ts`
 * compares them with what the code sends.
 */
export const SENT: Readonly<Record<Service, readonly When[]>> = {
  worklist: [
    [0x0000, 'all matches were sent, or there are none'],
    [
      0xa700,
      'the partner cannot be queried and no stored response may be used; or the list exceeds the maximum number of exams and was cut',
    ],
    [
      0xa900,
      'an invalid date or time (the comment contains the attribute and the reason), several items in the sequence, or an identifier that is missing, too large or too deeply nested; with Offending Element',
    ],
    [0xc001, 'the partner responded `authorized: false`'],
    [0xc002, 'the partner’s response was not a valid worklist, or every match had to be withheld'],
    [
      0xc003,
      'an internal error, with a reference to the log; never because a record cannot be written',
    ],
    [0xfe00, 'the device sent C-CANCEL, possibly while the partner was being queried'],
    ...OF_ALL,
  ],
  storage: [
    [
      0x0000,
      'file, file name and database row are on disk; also if the same instance was already stored',
    ],
    [
      0xa700,
      'less disk space than `intake.stopGigabytes` before or during the transfer, a full disk, or a folder that cannot be written to',
    ],
    [
      0xa900,
      'an Affected UID of the command, or the Study or Series Instance UID of the data set, is missing, longer than 64 characters or not printable; or an Affected UID differs from the UID in the data set; with Offending Element',
    ],
    [0xc000, 'the data set cannot be read, or has no SOP Class UID or SOP Instance UID'],
    [
      0x0110,
      'an internal error, with a reference to the log; or the association ended within the data set: no response can be sent, and only the gateway shows it; or the image was erased while the gateway retrieved it by WADO-RS: no device receives this',
    ],
    ...OF_ALL,
  ],
  steps: [
    [0x0000, 'the message is stored on disk'],
    [
      0x0106,
      'N-CREATE: the status is not IN PROGRESS; N-SET: the status is not one of the three allowed values',
    ],
    [
      0x0110,
      'the data set is missing or cannot be read; N-SET: the step has ended, with Error ID A710, or belongs to another device; an internal error, with a reference to the log',
    ],
    [0x0111, 'N-CREATE: the step already exists'],
    [0x0112, 'N-SET: the step does not exist'],
    [
      0x0117,
      'N-CREATE: the Affected SOP Instance UID is longer than 64 characters or not printable',
    ],
    [0x0121, 'N-SET: COMPLETED without a performed series'],
    [0x0213, 'the data set exceeds the limit, or the disk cannot store what Success would confirm'],
    ...OF_ALL,
  ],
  commitment: [
    [
      0x0000,
      'the request is stored on disk; also if an identical request still waits for its result',
    ],
    [
      0x0110,
      'the data set is missing or cannot be read; storage commitment was disabled meanwhile; an internal error, with a reference to the log',
    ],
    [0x0115, 'the Transaction UID is longer than 64 characters or not printable'],
    [0x0121, 'the request contains no Transaction UID or no instance'],
    [0x0123, 'the action type is not 1'],
    [
      0x0131,
      'this AE title has used the Transaction UID for other instances; PS3.3 C.14.1.1 defines this code as a Failure Reason, and the gateway uses it as a status',
    ],
    [0x0213, 'the data set exceeds the limit, or the disk cannot store what Success would confirm'],
    ...OF_ALL,
  ],
  query: [
    [0x0000, 'all matches were sent, or there are none'],
    [
      0xa700,
      'the query has more matches than allowed, or studies of an earlier version are not indexed yet; the matches found were sent',
    ],
    [
      0xa900,
      'the identifier is missing, too large or too deeply nested; the level does not exist; a date or time is invalid; the level does not allow a key; with Offending Element',
    ],
    [0x0124, 'the right to query was revoked while the association was open'],
    [0xc003, 'an internal error, with a reference to the log'],
    [0xfe00, 'C-CANCEL'],
    ...OF_ALL,
  ],
  retrieval: [
    [0x0000, 'all sub-operations succeeded, or there are no matches'],
    [0xb000, 'some sub-operations failed, or ended with a warning'],
    [0xa701, 'the retrieval contains more instances than allowed'],
    [0xa702, 'every sub-operation failed'],
    [
      0xa801,
      'C-MOVE: the move destination is not the caller with a known port, a destination, or another device with a known port',
    ],
    [
      0xa900,
      'the identifier or the unique key of the level is missing, the level does not exist, or Patient ID has several values; with Offending Element',
    ],
    [0x0124, 'the right to retrieve was revoked while the association was open'],
    [0xc003, 'an internal error, with a reference to the log'],
    [0xfe00, 'C-CANCEL'],
    ...OF_ALL,
  ],
}

/** Meanings that differ from those of other services. */
const MEANINGS: Partial<Record<Service, Readonly<Partial<Record<DimseStatus, string>>>>> = {
  retrieval: {
    45056: 'Sub-operations Complete: one or more failures or warnings',
    65024: 'Sub-operations terminated due to Cancel indication',
  },
}

const RETRIEVAL_FILES = [
  'retrievals.ts',
  'retrieval-keys.ts',
  'move-destination.ts',
  'patient-studies.ts',
].map((name) => `modules/query-retrieve/${name}`)
const QUERY_FILES = filesIn('modules/query-retrieve').filter(
  (file) => !RETRIEVAL_FILES.includes(file),
)

/** Where the code of a service says what it answers. */
export const SAID_IN: Readonly<Record<Service, readonly string[]>> = {
  worklist: [
    ...filesIn('modules/worklist'),
    'dicom/scp/basic-worklist.ts',
    'dicom/data-set/data-set.ts',
    'dicom/dimse/operation-queue.ts',
  ],
  storage: [
    'modules/images/image-receiver.ts',
    'modules/images/store-request-check.ts',
    'dicom/dimse/operation-queue.ts',
  ],
  steps: [
    'modules/images/performed-step-scp.ts',
    'modules/procedure-steps/performed-data.ts',
    'modules/images/image-feed.ts',
    'dicom/scp/service-classes.ts',
    'dicom/dimse/operation-queue.ts',
  ],
  commitment: [
    'modules/commitment/commitment.ts',
    'modules/commitment/commitment-request.ts',
    'modules/procedure-steps/performed-data.ts',
    'modules/images/image-feed.ts',
    'dicom/scp/service-classes.ts',
    'dicom/dimse/operation-queue.ts',
  ],
  query: [
    ...QUERY_FILES,
    'dicom/scp/find.ts',
    'dicom/data-set/data-set.ts',
    'dicom/dimse/operation-queue.ts',
  ],
  retrieval: [...RETRIEVAL_FILES, 'dicom/scp/retrieval.ts', 'dicom/dimse/operation-queue.ts'],
}

/** Those of the partner's faults are made, not written. */
function faultComments(status: DimseStatus): string[] {
  const results = (Object.keys(FAULTS) as (keyof typeof FAULTS)[]).map((fault) =>
    faultResult(fault, 'CT1', fault === 'refused' ? verbatim('words') : null),
  )
  return results
    .filter((result) => result.status === status)
    .map(({ errorComment = '' }) => errorComment.replace('CT1', '…').replace('words', '…'))
}

export function statusTable(service: Service): string {
  const written = errorCommentsIn(...SAID_IN[service])
  const commentsOf = (status: number) => [
    ...(service === 'worklist' ? faultComments(status) : []),
    ...(written.get(status) ?? []),
  ]
  return table(
    ['status', 'meaning', 'when', 'Error Comment (0000,0902)'],
    SENT[service].map(([status, when]) => {
      const known = STATUS[status]
      if (!known) throw new RangeError(`${hex4(status)} is no status of the gateway`)
      return [
        hex4(status),
        MEANINGS[service]?.[status] ?? known.meaning,
        when,
        [...new Set(commentsOf(status))].map((comment) => `“${comment}”`).join(', '),
      ]
    }),
  )
}

// ---- What is set aside, and what is not committed

const QUARANTINE: Readonly<Record<(typeof QUARANTINE_REASONS)[number], string>> = {
  'different-content':
    'the data set differs from the stored one with the same SOP Instance UID, and has another AE title, study or series',
  'wrong-step': 'MPPS reported that the wrong worklist entry was selected',
  'invalid-uid': 'an identifier violates PS3.5 §9.1, for example with a leading zero',
  'long-header':
    'a deflated data set whose header, after its UIDs, is longer than the part that is read (section 7.1.3)',
  incomplete:
    'the data set is shorter than its lengths, an item or a delimiter is missing, or the pixel data is shorter than its attributes require',
}
export const quarantineTable = (): string =>
  table(
    ['reason', 'when'],
    QUARANTINE_REASONS.map((reason) => [`\`${reason}\``, QUARANTINE[reason]]),
  )

const REASONS: Readonly<
  Record<keyof typeof FAILURE_REASONS, readonly [meaning: string, when: string]>
> = {
  noSuchInstance: [
    'No such object instance',
    'the instance is not stored, its file is incomplete or damaged, or the version that counts is quarantined',
  ],
  classConflict: ['Class / Instance conflict', 'the instance is stored with another SOP class'],
}
export const failureReasonTable = (): string =>
  table(
    ['FailureReason (0008,1197)', 'meaning', 'when'],
    (Object.keys(FAILURE_REASONS) as (keyof typeof FAILURE_REASONS)[]).map((key) => [
      hex4(FAILURE_REASONS[key]),
      ...REASONS[key],
    ]),
  )

// ---- Retries

const inWords = (ms: number): string =>
  ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${ms / 60_000} min`

export const retryTable = (): string =>
  table(
    ['what', 'retried after', 'until'],
    [
      [
        'result of storage commitment',
        `${RETRY_SCHEDULES.commitmentResult.waits.map(inWords).join(', ')}, then at the last interval`,
        inWords(MAX_RETRY_PERIOD_MS),
      ],
      [
        'instance for a destination',
        `${RETRY_SCHEDULES.forwarding.waits.slice(0, -1).map(inWords).join(', ')}, then every ${inWords(RETRY_SCHEDULES.forwarding.waits.at(-1) ?? 0)}`,
        'the waits between its own attempts add up to `forwarding.giveUpHours`',
      ],
      [
        'destination that cannot be reached',
        'the same intervals; its instances wait without counting as attempts',
        'never',
      ],
    ],
  )

const FOLLOWS = {
  sent: 'sent; a warning is shown',
  refused:
    'sending stops; Isthmus shows the image until a user retries it or drops it with a reason',
  later: 'retried',
  pausing: 'the destination is busy: its whole queue waits',
} as const

/** Answers of a destination to C-STORE, as ranges of statuses that mean the same. */
export function verdictTable(): string {
  const ranges: { from: number; to: number; kind: keyof typeof FOLLOWS; reason: string }[] = []
  for (let status = 0; status <= 0xffff; status++) {
    const { kind, reason } = verdictOf(status)
    const words = (reason ? englishText(reason) : '').replace(/ \(status [0-9A-F]{4}\)$/, '')
    const last = ranges.at(-1)
    if (last && last.to === status - 1 && last.kind === kind && last.reason === words)
      last.to = status
    else ranges.push({ from: status, to: status, kind, reason: words })
  }
  const same = Map.groupBy(ranges, ({ kind, reason }) => `${kind}\n${reason}`)
  const rows = [...same.values()].map((group) => {
    const [{ kind, reason } = { kind: 'later', reason: '' } as const] = group
    // The rule that takes whatever no other does has no list of its own.
    const statuses =
      kind === 'later' && group.length > 3
        ? 'any other'
        : group
            .map(({ from, to }) => (from === to ? hex4(from) : `${hex4(from)} to ${hex4(to)}`))
            .join(', ')
    return [statuses, reason, kind === 'sent' && reason === '' ? 'sent' : FOLLOWS[kind]]
  })
  const isRest = ([statuses]: readonly string[]) => statuses === 'any other'
  const refused = ['class not accepted', 'it does not accept images of this kind', FOLLOWS.refused]
  return table(
    ['status', 'text shown in Isthmus', 'result'],
    [...rows.filter((row) => !isRest(row)), refused, ...rows.filter(isRest)],
  )
}
