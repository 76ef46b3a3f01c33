import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** Devices, unknown callers and forwarding queues. */
export interface DeviceTables {
  devices: {
    deviceId: string
    aeTitle: string
    address: string | null
    name: string
    modality: string | null
    isEnabled: Flag
    characterSet: string | null
    stationMode: string
    alwaysSendCharacterSet: Flag
    daysBack: number | null
    daysForward: number | null
    maxRows: number | null
    createdAt: string
    updatedAt: string
    lastSeenAt: string | null
    lastAddress: string | null
    port: number | null
    profile: string
    hideStarted: Flag
    countsBytes: Flag
    tls: string
    certificate: string | null
    retrieval: Generated<string>
  }
  callers: {
    aeTitle: string
    address: string
    calledAeTitle: string
    attempts: number
    firstAt: string
    lastAt: string
    services: string
  }
  destinations: {
    destinationId: string
    name: string
    aeTitle: string
    host: string
    port: number
    isTls: Flag
    certificate: string | null
    isEnabled: Flag
    isAutomatic: Flag
    modalities: string
    hasPriors: Flag
    confirmsStorage: Generated<Flag>
    createdAt: string
    updatedAt: string
    lastSentAt: string | null
    lastError: string
  }
  forwards: {
    forwardId: Generated<number>
    destinationId: string
    instanceId: number
    sopInstanceUid: string
    studyInstanceUid: string
    state: string
    attempts: Generated<number>
    queuedAt: string
    nextAt: string | null
    status: string
    lastError: string
    sentAs: string
    createdAt: string
    updatedAt: string
  }
  /** Maintained by triggers on `forwards`. */
  forwardedStudies: {
    destinationId: string
    studyInstanceUid: string
    waiting: Generated<number>
    sent: Generated<number>
    failed: Generated<number>
    dropped: Generated<number>
    lastError: string
    updatedAt: string
  }
}
