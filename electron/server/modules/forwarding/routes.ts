import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { windowList } from '#server/http/pagination.ts'
import { canSeeImages, requireCanManageImages } from '#server/modules/images/image-studies.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { Forwarding } from './forwarding.ts'
import { EMPTY_SUMMARY } from './priors.ts'

/** Registers the window's operations for destinations (`shared/contract/destinations.ts`). */
export function serveDestinations(app: HttpApp, context: Context, forwarding: Forwarding): void {
  const callerOf = windowCaller(context)
  const list = windowList(context.database.seal)

  const handlers: HandlersOf<typeof dashboardDestinations> = {
    list: () => forwarding.list(),
    add: ({ body, user }) => forwarding.add(body, userActor(user.userId)),
    update: ({ params, body, user }) =>
      forwarding.update(params.destinationId, body, userActor(user.userId)),
    remove: ({ params, user }) => forwarding.remove(params.destinationId, userActor(user.userId)),
    echo: ({ params }) => forwarding.echo(params.destinationId),

    studies({ query, user }) {
      const caller = callerOf(user)
      const { destinationId, studyInstanceUid, show } = query
      return list('studies', dashboardDestinations.studies, { query }, (page) => {
        const filter = { destinationId, studyInstanceUid, show }
        const { items, ...rest } = forwarding.studies({ ...filter, ...page })
        const isShown = (study: (typeof items)[number]) =>
          canSeeImages(context, caller, study.studyInstanceUid)
        return { items: items.filter(isShown), ...rest }
      })
    },
    instances({ params, query, user }) {
      if (!canSeeImages(context, callerOf(user), params.studyInstanceUid))
        throw new ApiError('not-found', message('studies.none-such'))
      return list('instances', dashboardDestinations.instances, { params, query }, (page) =>
        forwarding.instances(params, page),
      )
    },
    send({ params, body, user }) {
      requireCanManageImages(context, callerOf(user), body.studyInstanceUid)
      return forwarding.send(params.destinationId, body.studyInstanceUid, userActor(user.userId))
    },
    retry({ params, body, user }) {
      requireCanManageImages(context, callerOf(user), body.studyInstanceUid)
      return forwarding.retry(params.destinationId, body.studyInstanceUid, userActor(user.userId))
    },
    drop({ params, body, user }) {
      requireCanManageImages(context, callerOf(user), body.studyInstanceUid)
      return forwarding.drop(params.destinationId, body, userActor(user.userId))
    },

    // It is unknown whose patients another archive contains, so this requires access to all
    // studies.
    async findPriors({ params, body, user }) {
      requireCanManageImages(context, callerOf(user))
      return forwarding.findPriors(params.destinationId, body, userActor(user.userId))
    },
    pull({ params, body, user }) {
      requireCanManageImages(context, callerOf(user))
      return forwarding.pull(params.destinationId, body.studyInstanceUid, userActor(user.userId))
    },
    // Patient data of a retrieval is shown only to users who may see the study.
    pulls({ user }) {
      const caller = callerOf(user)
      const isShown = (studyInstanceUid: string) => canSeeImages(context, caller, studyInstanceUid)
      return {
        pulls: forwarding.pulls
          .list()
          .map((pull) => (isShown(pull.studyInstanceUid) ? pull : { ...pull, ...EMPTY_SUMMARY })),
      }
    },
  }

  serveAll(app, dashboardDestinations, handlers, {
    afterChange() {
      context.feed.noteImages()
      context.feed.noteStatus()
    },
  })
}
