import { listApiKeys } from '#server/modules/api-keys/queries.ts'
import { changeEndpoint } from '#server/modules/partners/service.ts'
import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import { createStudy } from '#server/modules/studies/service.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import type { ApiKeyCaller } from '#server/modules/users/caller.ts'
import { createViewerLink } from '#server/modules/viewer/links.ts'
import { Uid } from '#shared/dicom-values.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { type DataCommand, originOf } from './command.ts'

const ACTOR = 'command-line'

/** Commands for trying the viewer without a partner's system. */
export const VIEWER_COMMANDS: Readonly<Record<string, DataCommand>> = {
  'file-host add': {
    usage: 'HOST:PORT [--plaintext]',
    about:
      'allow images and documents to be loaded from a host of the partner; --plaintext: over HTTP, inside the clinic',
    options: { plaintext: { type: 'boolean', about: 'Use HTTP without TLS for this host.' } },
    run: addFileHost,
  },
  'link viewer': {
    usage: '--study UID|stu_… [--description TEXT]',
    about:
      'print a one-time link that opens a study in the viewer; with a description, the study is created if it does not exist',
    options: {
      study: {
        type: 'string',
        takes: 'UID|stu_…',
        isRequired: true,
        about: 'Study Instance UID or id of the study.',
      },
      description: {
        type: 'string',
        takes: 'TEXT',
        about: 'Description of the study if it is created.',
      },
    },
    run: viewerLink,
  },
}

function addFileHost(
  ...[
    context,
    {
      arguments: [host],
      options,
    },
  ]: Parameters<DataCommand['run']>
): string {
  if (host === undefined || !/^[^/\s]+:\d{1,5}$/.test(host))
    throw new ApiError('malformed', verbatim('file-host add takes HOST:PORT.'))
  const endpoint = defaultEndpoint(context.database)
  if (!endpoint)
    throw new ApiError(
      'not-found',
      verbatim(
        'There is no partner yet. Set one up with serve --partner-url or on the Partner screen.',
      ),
    )
  const fileHosts = [...endpoint.fileHosts, host]
  changeEndpoint(context, endpoint.endpointId, { fileHosts }, ACTOR)
  if (options.plaintext === true)
    context.settings.change(
      {
        'partner.plaintextHosts': [
          ...new Set([...context.settings.get('partner.plaintextHosts'), host]),
        ],
      },
      ACTOR,
    )
  return host
}

/**
 * Creates the link on behalf of the newest API key that may use the viewer. Revoking that key
 * invalidates the link.
 */
function viewerLink(...[context, { options }, gateway]: Parameters<DataCommand['run']>): string {
  const named = typeof options.study === 'string' ? options.study : ''
  const studyKey = named.startsWith('stu_') ? { studyId: named } : { studyInstanceUid: named }
  if (!named.startsWith('stu_') && !Uid.safeParse(named).success)
    throw new ApiError(
      'malformed',
      verbatim('--study takes a Study Instance UID, or the id of a study.'),
    )
  const key = listApiKeys(context.database).find(
    (one) => one.revokedAt === null && one.isViewerEnabled && one.scope === 'all',
  )
  if (!key)
    throw new ApiError(
      'not-found',
      verbatim(
        'There is no API key that may use the viewer. Create one with api-key create --viewer.',
      ),
    )
  const caller: ApiKeyCaller = {
    kind: 'api-key',
    apiKeyId: key.apiKeyId,
    scope: key.scope,
    isViewerEnabled: true,
  }
  const isMissing =
    'studyInstanceUid' in studyKey && !findStudyByUid(context.database, 'viewer', named)
  if (isMissing && typeof options.description === 'string') {
    const study = {
      studyInstanceUid: named,
      studyDescription: options.description,
      severity: 'normal' as const,
    }
    createStudy(context, caller, 'viewer', study)
  }
  return originOf(context, gateway) + createViewerLink(context, caller, studyKey)
}
