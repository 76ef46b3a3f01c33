import { SETTINGS } from '#shared/contract/settings.ts'
import { IDENTIFIER_LIMITS } from '../../electron/server/dicom/data-set/data-set.ts'
import { HEADER_LIMITS } from '../../electron/server/dicom/data-set/header-reader.ts'
import { APPLICATION_CONTEXT, IMPLEMENTATION } from '../../electron/server/dicom/data-set/uids.ts'
import { MAX_TESTED_VALUES } from '../../electron/server/dicom/matching/text-values.ts'
import { REQUESTOR_LIMITS } from '../../electron/server/dicom/scu/association-request.ts'
import { RESPONSE_SECONDS } from '../../electron/server/dicom/scu/move.ts'
import { TRANSCODING_LIMITS } from '../../electron/server/dicom/transcoding/transcoder.ts'
import { TLS_PROFILE } from '../../electron/server/dicom/upper-layer/connection.ts'
import { DEFAULT_LIMITS } from '../../electron/server/dicom/upper-layer/limits.ts'
import { BATCH_SIZE } from '../../electron/server/modules/forwarding/worker.ts'
import { kib, mib, table } from './markdown.ts'

const byDefault = (
  key:
    | 'dimse.artimSeconds'
    | 'dimse.idleSeconds'
    | 'dimse.maxAssociations'
    | 'dimse.maxAssociationsPerDevice',
  unit = '',
) => `${SETTINGS[key].initial}${unit} (\`${key}\`)`

/** Table N.7-2 of PS3.2. */
export const parameterTable = (): string =>
  table(
    ['parameter', 'value'],
    [
      ['Application Context Name', APPLICATION_CONTEXT],
      ['Implementation Class UID', IMPLEMENTATION.classUid],
      ['Implementation Version Name', IMPLEMENTATION.versionName],
      ['Maximum PDU length, announced and accepted', `${DEFAULT_LIMITS.maxPduLength} bytes`],
      ['Maximum PDU length, sent', 'exactly what the other side announces; 0 means no limit'],
      ['ARTIM timeout', byDefault('dimse.artimSeconds', ' s')],
      [
        'Timeout of an inactive association, as acceptor',
        `${byDefault('dimse.idleSeconds', ' s')}; not while a request is processed`,
      ],
      ['Timeout for a peer that accepts no data', `${DEFAULT_LIMITS.stallSeconds} s`],
      ['Simultaneous associations, as acceptor', byDefault('dimse.maxAssociations')],
      [
        'Simultaneous associations of one AE title at one address',
        byDefault('dimse.maxAssociationsPerDevice'),
      ],
      [
        'Simultaneous associations of one host',
        'half, or the limit of one device if that is higher',
      ],
      [
        'Simultaneous associations of callers outside the device list',
        'half; for one host, a tenth',
      ],
      [
        'Connections without an association',
        `${DEFAULT_LIMITS.pendingConnections}, and a quarter for a host without a device; if exceeded, the oldest connection of the host that has the most connections is closed`,
      ],
      [
        'Outstanding operations',
        `1 invoked, 1 performed; up to ${DEFAULT_LIMITS.queuedRequests} further requests are queued and processed in order`,
      ],
      ['Connection timeout, as initiator', `${REQUESTOR_LIMITS.connectSeconds} s, including TLS`],
      [
        'Association timeout, as initiator',
        `${REQUESTOR_LIMITS.associateSeconds} s, for A-ASSOCIATE and for A-RELEASE`,
      ],
      [
        'Response timeout, as initiator',
        `${REQUESTOR_LIMITS.responseSeconds} s; C-MOVE ${RESPONSE_SECONDS} s between two responses`,
      ],
      ['After a C-CANCEL, as initiator', `${REQUESTOR_LIMITS.cancelSeconds} s`],
      ['Instances sent over one association, as initiator', `at most ${BATCH_SIZE}`],
      [
        'SCP/SCU role selection',
        'answered if proposed: the SCU role is accepted; the SCP role is accepted for storage classes that are proposed with C-GET, and for Storage Commitment, so that a destination can report its result; it is declined otherwise',
      ],
      [
        'Extended negotiation',
        'answered for C-FIND of Query/Retrieve (section 5.2.8); other proposals are ignored',
      ],
      ['Common extended negotiation, user identity', 'not used; such proposals are ignored'],
    ],
  )

export const limitTable = (): string =>
  table(
    ['what', 'limit', 'if exceeded'],
    [
      [
        'identifier of a query',
        `${kib(DEFAULT_LIMITS.identifierBytes)}, ${IDENTIFIER_LIMITS.elements} elements, ${IDENTIFIER_LIMITS.depth} levels of sequences`,
        'A900',
      ],
      ['names or patterns of one key', `${MAX_TESTED_VALUES}; plain values: any number`, 'A900'],
      ['data set of MPPS and storage commitment', mib(DEFAULT_LIMITS.normalizedBytes), '0213'],
      ['data set of storage', 'none; it is written to disk as it arrives', ''],
      [
        'header of a deflated data set',
        `ends within ${mib(HEADER_LIMITS.deflatedBytes)}, ${mib(HEADER_LIMITS.inflatedBytes)} inflated`,
        'quarantine `long-header`',
      ],
      ["value in an image's header", kib(HEADER_LIMITS.valueBytes), 'it is kept but not read'],
      ['A-ASSOCIATE-RQ', kib(DEFAULT_LIMITS.associateBytes), 'A-ABORT'],
      ['command set', kib(DEFAULT_LIMITS.commandSetBytes), 'A-ABORT'],
      [
        'data set of a service with a limit',
        `${mib(DEFAULT_LIMITS.drainedBytes)}, up to which it is read to the end`,
        'A-ABORT',
      ],
      [
        'dicom-dimse-native',
        `${TRANSCODING_LIMITS.processes} parallel processes; ${TRANSCODING_LIMITS.seconds} s for a transcoding`,
        'the operation fails',
      ],
    ],
  )

const [TLS_1_3 = [], TLS_1_2 = []] = [true, false].map((isNew) =>
  TLS_PROFILE.ciphers.split(':').filter((name) => name.startsWith('TLS_') === isNew),
)

export const tlsTable = (): string => {
  if (TLS_PROFILE.minVersion !== 'TLSv1.2')
    throw new RangeError('the statement tells of TLS 1.2 and 1.3')
  return table(
    ['version', 'cipher suites, in order of preference'],
    [
      ['TLS 1.3', TLS_1_3.join(', ')],
      ['TLS 1.2', TLS_1_2.join(', ')],
    ],
  )
}
