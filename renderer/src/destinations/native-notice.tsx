import type { NativeModule } from '#shared/contract/destinations.ts'
import { Notice } from '../components/tone.tsx'
import { said } from '../language/said.ts'
import css from './destinations.module.css'
import { words } from './words.ts'

/**
 * Says that the native module is missing, what does not work without it, and what to do. Nothing
 * where it is there.
 */
export function NativeNotice({ native }: { native: NativeModule | undefined }) {
  if (!native || native.isAvailable) return null
  return (
    <Notice tone="warning" title={words.nativeTitle}>
      {words.nativeText}
      <div className={css.remedy}>{words.nativeRemedy}</div>
      {native.detail && <div className="mono">{said(native.detail)}</div>}
    </Notice>
  )
}
