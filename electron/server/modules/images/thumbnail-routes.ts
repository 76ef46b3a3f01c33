import type { Context } from '#server/context.ts'
import { servePicture } from '#server/http/file-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { instanceParams, receivedStudyParams } from '#shared/contract/quarantine.ts'
import { ReceivedUid } from '#shared/contract/values.ts'
import type { Thumbnails } from './thumbnails.ts'

const { access } = dashboardImages.list
const seriesParams = receivedStudyParams.extend({ seriesInstanceUid: ReceivedUid })

/** Registers the thumbnail routes (`thumbnailPaths` in the contract). */
export function serveThumbnails(app: HttpApp, context: Context, thumbnails: Thumbnails): void {
  const callerOf = windowCaller(context)
  servePicture(
    app,
    '/dashboard/images/:studyInstanceUid/thumbnail',
    { access, params: receivedStudyParams },
    ({ params, user }) => thumbnails.ofStudy(callerOf(user), params.studyInstanceUid),
  )
  servePicture(
    app,
    '/dashboard/images/:studyInstanceUid/series/:seriesInstanceUid/thumbnail',
    { access, params: seriesParams },
    ({ params: { studyInstanceUid, seriesInstanceUid }, user }) =>
      thumbnails.ofStudy(callerOf(user), studyInstanceUid, seriesInstanceUid),
  )
  servePicture(
    app,
    '/dashboard/quarantine/:instanceId/thumbnail',
    { access, params: instanceParams },
    ({ params, user }) => thumbnails.ofInstance(callerOf(user), params.instanceId),
  )
}
