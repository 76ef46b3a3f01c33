import { createHash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import {
  GOLDEN_AT as at,
  GOLDEN,
  GOLDEN_DAY,
  goldenSeal,
  goldenSealed,
  made,
  type Row,
  type Rows,
  tokenHash,
} from './clinic.ts'

/** Schema 1: the clinic, its staff and devices, its partner's endpoints, and the worklist. */
export const firstRows = (version: number): Rows => ({
  ...clinicRows(),
  ...staffRows(version),
  ...partnerRows(version),
  ...worklistRows(),
})

function clinicRows(): Rows {
  const device = { isEnabled: 1, stationMode: 'echo', alwaysSendCharacterSet: 0, ...made }
  return {
    settings: [
      { key: 'clinic.id', value: '"00000000-0000-4000-8000-000000000001"', updatedAt: at },
      { key: 'clinic.name', value: '"North Clinic"', updatedAt: at },
    ],
    ...goldenAudit(5),
    devices: [
      {
        ...device,
        deviceId: 'd1',
        aeTitle: 'CT1',
        name: 'CT room 1',
        address: '10.0.3.7',
        modality: 'CT',
        daysBack: 2,
        lastSeenAt: at,
      },
      {
        ...device,
        deviceId: 'd2',
        aeTitle: 'US1',
        name: 'US',
        isEnabled: 0,
        characterSet: 'ISO_IR 100',
      },
    ],
    callers: [
      {
        aeTitle: 'MR9',
        address: '10.0.3.9',
        calledAeTitle: 'ISTHMUS',
        attempts: 3,
        firstAt: at,
        lastAt: at,
        services: '["C-FIND"]',
      },
    ],
  }
}

/** An audit trail of so many entries, chained as from the first release on, with its head. */
export function goldenAudit(count: number): Rows {
  const entries: Row[] = []
  let hash = '0'.repeat(64)
  for (let seq = 1; seq <= count; seq++) {
    const entry = { seq, at, actor: 'user:usr_1', action: 'device.add', target: `d${seq}` }
    const sealedDetail = goldenSealed({ names: `Frau Meyer ${seq}` }, `audit detail ${seq}`)
    const canonical = [
      seq,
      entry.at,
      entry.actor,
      entry.action,
      entry.target,
      sealedDetail.toString('base64'),
    ]
    hash = createHash('sha256').update(hash).update(JSON.stringify(canonical)).digest('hex')
    entries.push({ ...entry, sealedDetail, hash: Buffer.from(hash, 'hex') })
  }
  return {
    auditEntries: entries,
    auditHead: [{ id: 1, sealed: goldenSealed({ count, hash }, 'audit head') }],
  }
}

function staffRows(version: number): Rows {
  const user = {
    clinicRole: 'Other',
    canManageStudies: 1,
    canCreateReports: 1,
    hasDashboardAccess: 1,
    ...made,
  }
  const session = {
    tokenHash: tokenHash('session'),
    userId: 'usr_1',
    createdAt: at,
    lastUsedAt: at,
    expiresAt: '2099-01-01T00:00:00.000Z',
  }
  return {
    users: [
      {
        ...{
          ...user,
          userId: 'usr_1',
          email: 'Eva@clinic.example',
          emailKey: 'eva@clinic.example',
          firstName: 'Eva',
          lastName: 'Kern',
        },
        ...{ level: 'owner', passwordHash: 'scrypt$eva', lastLoginAt: at },
      },
      {
        ...{
          ...user,
          userId: 'usr_2',
          email: 'ivo@clinic.example',
          emailKey: 'ivo@clinic.example',
          firstName: 'Ivo',
          lastName: 'Horák',
        },
        ...{ level: 'member', passwordHash: 'scrypt$ivo', deactivatedAt: at },
      },
    ],
    sessions: [
      version >= 7
        ? { ...session, sessionId: 'golden', browser: 'Firefox', address: '127.0.0.1' }
        : session,
    ],
    signInLinks: [
      {
        tokenHash: tokenHash('link'),
        kind: 'sign-in',
        userId: 'usr_1',
        createdAt: at,
        expiresAt: at,
      },
    ],
    signInAttempts: [{ accountHash: tokenHash('account'), failures: 2, lastAt: at }],
  }
}

const partnerRows = (version: number): Rows => ({
  apiKeys: [
    {
      ...{
        apiKeyId: 'k1',
        keyHash: tokenHash('key'),
        last4: 'aaaa',
        description: 'RIS',
        isViewerEnabled: 1,
        scope: 'self',
      },
      createdAt: at,
    },
  ],
  endpoints: [
    {
      endpointId: 'e1',
      url: 'https://ris.example/hook',
      events: '["modality_worklist.requested"]',
      allowsPlaintext: 0,
      ...made,
    },
    {
      ...{
        endpointId: 'e2',
        url: 'https://off.example/hook',
        events: '["report.delivered"]',
        apiKeyId: 'k1',
        allowsPlaintext: 0,
      },
      ...{ ...made, disabledAt: at },
      ...(version >= 4 && {
        disabledReason: version >= 8 ? 'person' : 'It was switched off here.',
      }),
    },
  ],
  endpointSecrets: [
    { endpointId: 'e1', sealed: goldenSeal(GOLDEN.secret, 'endpoint secret e1'), createdAt: at },
  ],
})

function worklistRows(): Rows {
  const answerHash = createHash('sha256').update(GOLDEN.answer).digest('hex')
  return {
    documents: [
      {
        hash: answerHash,
        sealed: goldenSeal(zstdCompressSync(GOLDEN.answer), `document ${answerHash}`),
        ...{ byteLength: GOLDEN.answer.length, keptAt: at },
      },
    ],
    answers: [
      {
        ...{ callingAe: 'CT1', dateStart: GOLDEN_DAY, dateEnd: GOLDEN_DAY, modality: 'CT' },
        ...{ documentHash: answerHash, receivedAt: at, items: 1 },
      },
    ],
    inspections: [
      {
        ...{
          at,
          origin: 'device',
          deviceName: 'CT room 1',
          callingAeTitle: 'CT1',
          calledAeTitle: 'ISTHMUS',
          remoteAddress: '10.0.3.7',
        },
        ...{
          source: 'live',
          status: '0000',
          errorComment: '',
          sent: 1,
          filtered: 0,
          withheld: 0,
          tookMs: 12.5,
          partnerMs: 9,
        },
        ...{
          sentence: 'CT1 asked and got one exam.',
          transferSyntax: '1.2.840.10008.1.2.1',
          answerHash,
        },
        sealedDetail: goldenSeal(GOLDEN.handwritten, 'inspection'),
      },
    ],
    closedSteps: [
      {
        ...{ studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S1', closedAt: at },
        sealedReason: goldenSeal(GOLDEN.handwritten, 'closed step'),
      },
    ],
    downtime: [
      {
        id: 1,
        since: at,
        until: at,
        userId: 'usr_1',
        userName: 'Eva Kern',
        sealedReason: goldenSeal(GOLDEN.handwritten, 'downtime'),
      },
    ],
  }
}
