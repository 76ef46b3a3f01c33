/** Who made it. */
export interface Made {
  createdByApiKeyId: string | null
  createdByUserId: string | null
}
