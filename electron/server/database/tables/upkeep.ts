/** What the gateway keeps of itself. */
export interface UpkeepTables {
  settings: { key: string; value: string; updatedAt: string }
  auditEntries: {
    seq: number
    at: string
    actor: string
    action: string
    target: string
    sealedDetail: Buffer
    hash: Buffer
  }
  auditHead: { id: 1; sealed: Buffer }
  auditUnkeyed: { id: 1 }
  auditSending: { id: 1; seq: number }
  secrets: { name: string; sealed: Buffer; updatedAt: string }
  downtime: {
    id: 1
    since: string
    until: string
    userId: string
    userName: string
    sealedReason: Buffer
  }
}
