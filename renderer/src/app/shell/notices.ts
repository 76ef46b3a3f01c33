import { lazy } from 'react'
import { loadLater } from '../../ui/load-later.ts'

/**
 * Where notices are drawn: loaded once the first screen is there. What is told before is drawn
 * then.
 */
export const Notices = lazy(async () => ({
  default: (await loadLater(() => import('./notices-drawn.ts'))).Notifications,
}))
