import type { Generated, GeneratedAlways } from 'kysely'

/** Tables as kysely sees them: columns are named as the contract names the fields. Instants and days are text, JSON is text. */
export interface Schema {
  settings: { key: string; value: string; updatedAt: string }
  auditEntries: { seq: number; at: string; actor: string; action: string; target: string; sealedDetail: Buffer; hash: Buffer }
  auditHead: { id: 1; sealed: Buffer }
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
  users: Person & {
    passwordHash: string | null
    createdAt: string
    updatedAt: string
    lastLoginAt: string | null
    deactivatedAt: string | null
  }
  invitations: Person & {
    invitationId: string
    status: string
    inviterId: string | null
    invitedByApiKeyId: string | null
    tokenHash: string
    expiry: string | null
    createdAt: string
    updatedAt: string
  }
  signInAttempts: { accountHash: string; failures: number; lastAt: string; blockedUntil: string | null }
  sessions: {
    tokenHash: string
    sessionId: string
    userId: string
    createdAt: string
    lastUsedAt: string
    expiresAt: string
    browser: string
    address: string
    workstationId: string | null
    lockedAt: string | null
    wrongPasswords: number
  }
  passwordChanges: { userId: string; at: string }
  secondFactors: {
    userId: string
    sealedSecret: Buffer | null
    since: string | null
    lastStep: number | null
    sealedPending: Buffer | null
    pendingAt: string | null
  }
  secondFactorCodes: { userId: string; codeHash: string; usedAt: string | null }
  workstations: {
    workstationId: string
    tokenHash: string
    name: string
    code: string
    address: string
    browser: string
    askedAt: string
    refusedAt: string | null
    approvedAt: string | null
    approvedByUserId: string | null
    lastSeenAt: string | null
  }
  signInLinks: { tokenHash: string; kind: string; userId: string | null; createdAt: string; expiresAt: string; usedAt: string | null }
  apiKeys: {
    apiKeyId: string
    keyHash: string
    last4: string
    description: string
    isViewerEnabled: Flag
    scope: string
    createdAt: string
    lastUsedAt: string | null
    revokedAt: string | null
    rotatedAt: string | null
    oldKeyHash: string | null
    oldLast4: string | null
    oldExpiresAt: string | null
  }
  endpoints: {
    endpointId: string
    url: string
    events: string
    apiKeyId: string | null
    allowsPlaintext: Flag
    createdAt: string
    updatedAt: string
    disabledAt: string | null
    name: Generated<string>
    fileHosts: Generated<string>
    budgets: Generated<string>
    disabledReason: string | null
  }
  endpointSecrets: { secretId: Generated<number>; endpointId: string; sealed: Buffer; createdAt: string }
  documents: { hash: string; sealed: Buffer; byteLength: number; keptAt: string }
  answers: {
    callingAe: string
    dateStart: string
    dateEnd: string
    /** Empty: the answer was not narrowed to a modality. */
    modality: string
    documentHash: string
    receivedAt: string
    items: number
  }
  inspections: {
    inspectionId: Generated<number>
    at: string
    origin: string
    deviceName: string
    callingAeTitle: string
    calledAeTitle: string
    remoteAddress: string
    source: string
    status: string
    errorComment: string
    fault: string | null
    sent: number
    filtered: number
    withheld: number
    tookMs: number
    partnerMs: number | null
    sentence: string
    repeats: Generated<number>
    lastAt: string | null
    transferSyntax: string
    answerHash: string | null
    verdictHash: string | null
    sealedDetail: Buffer
  }
  closedSteps: { studyInstanceUid: string; scheduledProcedureStepId: string; closedAt: string; sealedReason: Buffer }
  expressCustomers: Made & {
    seq: Generated<number>
    expressCustomerId: string
    name: string
    nameFolded: string
    isActive: Flag
    sealedMetadata: Buffer | null
    createdAt: string
    updatedAt: string
  }
  customerUsers: { expressCustomerId: string; userId: string; createdAt: string }
  organizations: Made & { orgId: string; name: string; sealedMetadata: Buffer | null; createdAt: string; updatedAt: string }
  imageStudies: ImageStudies
  imageSeries: {
    studyInstanceUid: string
    seriesInstanceUid: string
    modality: string
    seriesNumber: string
    sealedDescription: Buffer | null
    instances: Generated<number>
    bytes: Generated<number>
    lastInstanceAt: string
  }
  instances: FromDevice & {
    instanceId: Generated<number>
    sopInstanceUid: string
    sopClassUid: string
    studyInstanceUid: string
    seriesInstanceUid: string
    transferSyntaxUid: string
    file: string
    dataSetOffset: number
    bytes: number
    crc32: number
    state: string
    reason: string | null
    detail: string
    associationId: string
    receivedAt: string
    lastSeenAt: string
    modality: string
    instanceNumber: string
    scheduledProcedureStepId: string
    image: string | null
    sealedPatientName: Buffer | null
  }
  /** `isHere` follows `instances` by triggers. */
  announcedInstances: {
    sopInstanceUid: string
    studyInstanceUid: string
    seriesInstanceUid: string
    isHere: Flag
    announcedAt: string
  }
  seeds: {
    studyInstanceUid: string
    area: string
    studyId: string
    seededAt: string
    sealedSeed: Buffer
    /** JSON: names of the fields that a person or a call has set. */
    touched: Generated<string>
  }
  receivedSteps: {
    /** Of the worklist, which is not always that of the images. */
    studyInstanceUid: string
    scheduledProcedureStepId: string
    imageStudyUid: string
    receivedAt: string
  }
  performedSteps: FromDevice & {
    seq: Generated<number>
    sopInstanceUid: string
    status: string
    modality: string
    startedAt: string
    endedAt: string | null
    discontinuationCode: string
    discontinuationMeaning: string
    instances: number
    sealedDataSet: Buffer
    updatedAt: string
  }
  performedStepItems: { sopInstanceUid: string; studyInstanceUid: string; scheduledProcedureStepId: string }
  commitments: FromDevice & {
    commitmentId: Generated<number>
    transactionUid: string
    requestedAt: string
    state: string
    attempts: Generated<number>
    nextAt: string | null
    lastError: string
  }
  commitmentItems: {
    commitmentId: number
    position: number
    sopClassUid: string
    sopInstanceUid: string
    failureReason: number | null
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
  /** Follows `forwards` by triggers. */
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
  studies: Made & {
    seq: Generated<number>
    studyId: string
    area: string
    studyInstanceUid: string
    studyDescription: string
    descriptionFolded: string
    severity: string
    status: string
    cancelledAt: string | null
    facet: GeneratedAlways<number>
    assignedTo: string | null
    expressCustomerId: string | null
    sealedDetail: Buffer | null
    createdAt: string
    updatedAt: string
  }
  savedViews: {
    savedViewId: string
    ownerId: string
    list: string
    area: string
    name: string
    sortOrder: string
    isShared: Flag
    sealedFilter: Buffer
    createdAt: string
    updatedAt: string
  }
  searchFill: { what: string; below: number }
  reports: {
    seq: Generated<number>
    reportId: string
    studyId: string
    userId: string
    isAddendum: Flag
    status: string
    signedAt: string | null
    isCritical: Flag | null
    sealedText: Buffer | null
    sealedSnapshot: Buffer
    createdAt: string
    updatedAt: string
    revision: Generated<number>
    textHash: string | null
    sealedSigner: Buffer | null
  }
  reportRevisions: { reportId: string; revision: number; userId: string; windowId: string; at: string; sealedText: Buffer }
  reportPdfs: { reportId: string; sealedPdf: Buffer; sha256: string; pages: number; bytes: number; createdAt: string }
  reportObjects: { reportId: string; kind: string; sopInstanceUid: string; createdAt: string }
  criticalResults: { reportId: string; studyId: string; openedAt: string; communicatedAt: string | null; sealedDetail: Buffer }
  reportTemplates: {
    templateId: string
    kind: string
    ownerId: string | null
    name: string
    shortcut: string | null
    modalities: string
    sex: string | null
    ageFrom: number | null
    ageTo: number | null
    keywords: string
    text: string
    createdAt: string
    updatedAt: string
  }
  clinicalContexts: { studyId: string; state: string; askedAt: string; sealedContext: Buffer }
  contextDocuments: {
    documentId: Generated<number>
    studyId: string
    sealedName: Buffer
    sealedSource: Buffer | null
    mediaType: string
    state: string
    detail: string
    bytes: number
    sealedContent: Buffer | null
    fetchedAt: string
  }
  links: Made & {
    tokenHash: string
    kind: string
    area: string
    studyId: string | null
    userId: string | null
    sealedSession: Buffer | null
    createdAt: string
    expiresAt: string
    usedAt: string | null
    revokedAt: string | null
  }
  views: Made & {
    viewId: string
    tokenHash: string
    kind: string
    area: string | null
    studyId: string | null
    studyInstanceUid: string | null
    userId: string | null
    sessionId: string | null
    sealedSession: Buffer | null
    createdAt: string
    lastUsedAt: string
    expiresAt: string
  }
  viewFiles: {
    fileKey: string
    studyInstanceUid: string
    file: string
    bytes: number
    etag: string | null
    lastModified: string | null
    usedAt: string
    createdAt: string
  }
  annotations: { studyInstanceUid: string; owner: string; revision: number; sealedAnnotations: Buffer; updatedAt: string }
  captures: {
    captureId: string
    studyId: string | null
    studyInstanceUid: string
    sopInstanceUid: string
    seriesInstanceUid: string
    ofSopInstanceUid: string
    ofSeriesInstanceUid: string
    apiKeyId: string | null
    userId: string | null
    state: string
    urls: number
    uploaded: number
    attempts: number
    nextAt: string | null
    lastError: string
    createdAt: string
    updatedAt: string
  }
  idempotencyKeys: { keyHash: string; bodyHash: string; status: number; sealedBody: Buffer; createdAt: string }
  outbox: {
    outboxId: Generated<number>
    kind: string
    subject: string
    sealedPayload: Buffer | null
    state: string
    attempts: number
    notBefore: string
    lastError: string | null
    createdAt: string
    updatedAt: string
    /** Rows of one lane go out in their order; null: of none. */
    lane: string | null
  }
  events: {
    seq: Generated<number>
    eventId: string
    type: string
    endpointId: string | null
    subject: string
    studyInstanceUid: string | null
    state: string
    outcome: string
    attempts: number
    notes: number
    tookMs: number
    sealedRequest: Buffer | null
    effect: string
    isTest: Flag
    createdAt: string
    updatedAt: string
  }
  eventAttempts: {
    seq: number
    attempt: number
    at: string
    outcome: string
    httpStatus: number | null
    tookMs: number
    bytes: number
    sealedDetail: Buffer
    sealedResponse: Buffer | null
  }
  secrets: { name: string; sealed: Buffer; updatedAt: string }
  downtime: { id: 1; since: string; until: string; userId: string; userName: string; sealedReason: Buffer }
}

/** What users and invitations have in common. */
interface Person {
  userId: string
  email: string
  emailKey: string
  firstName: string
  lastName: string
  level: string
  clinicRole: string
  canManageStudies: Flag
  canCreateReports: Flag
  hasDashboardAccess: Flag
  middleName: string | null
  suffix1: string | null
  suffix2: string | null
  phoneNumber: string | null
  npiNumber: string | null
  invitedSource: Generated<string>
}

/** What sent it. */
interface FromDevice {
  callingAeTitle: string
  remoteAddress: string
  deviceName: string
}

interface ImageStudies extends FromDevice {
  studyInstanceUid: string
  createdAt: string
  lastInstanceAt: string
  state: string
  settledAt: string | null
  dueAt: string
  transferHow: string
  transferDetail: string
  transferAt: string
  instances: Generated<number>
  series: Generated<number>
  bytes: Generated<number>
  quarantined: Generated<number>
  sealedHeader: Buffer
  sealedHandedOut: Buffer | null
  sealedMismatch: Buffer | null
  mismatchAcknowledgedAt: string | null
  isFetched: Flag
  enrichmentState: string
  enrichmentAskedAt: string | null
  enrichmentNextAt: string | null
  enrichmentAttempts: number
  enrichmentDetail: string
  enrichmentWarnings: string
}

/** Who made it. */
interface Made {
  createdByApiKeyId: string | null
  createdByUserId: string | null
}

/** STRICT tables have no boolean. */
export type Flag = 0 | 1
export const flag = (on: boolean): Flag => (on ? 1 : 0)
