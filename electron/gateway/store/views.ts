import type { EphemeralDetail, LinkKind } from './links.ts'
import type { Area } from './study-facet.ts'

/** window: opened by a signed-in person; else the kind of the link it was opened by. */
export type ViewKind = LinkKind | 'window'

/** A session of the viewer: one study, or what a partner gives without one (interface-choices §6 row 22). */
export interface ViewRecord {
  readonly viewId: string
  /** SHA-256 of its cookie's token, in hex. */
  readonly tokenHash: string
  readonly kind: ViewKind
  /** Null where only the archive has the study: no area has a row of it. */
  readonly area: Area | null
  readonly studyId: string | null
  /** Null for an ephemeral session. */
  readonly studyInstanceUid: string | null
  /** Whom it is for: of a reroute link or the window who is at work, of a viewer-only link who is noted; null where the link names nobody. */
  readonly userId: string | null
  /** Who made the link; of the window `userId`. */
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  /** Of an ephemeral session; sealed at rest. */
  readonly ephemeral: EphemeralDetail | null
  readonly createdAt: string
  readonly lastUsedAt: string
  /** Absolute end, whatever the use. */
  readonly expiresAt: string
}
