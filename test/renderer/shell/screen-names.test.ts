import { describe, expect, it } from 'vitest'
import { es as accountEs } from '../../../renderer/src/account/words.es.ts'
import { words as account } from '../../../renderer/src/account/words.ts'
import { es as activityEs } from '../../../renderer/src/activity/words.es.ts'
import { words as activity } from '../../../renderer/src/activity/words.ts'
import { es as auditEs } from '../../../renderer/src/audit/words.es.ts'
import { words as audit } from '../../../renderer/src/audit/words.ts'
import { es as criticalsEs } from '../../../renderer/src/criticals/words.es.ts'
import { words as criticals } from '../../../renderer/src/criticals/words.ts'
import { es as customersEs } from '../../../renderer/src/customers/words.es.ts'
import { words as customers } from '../../../renderer/src/customers/words.ts'
import { es as destinationsEs } from '../../../renderer/src/destinations/words.es.ts'
import { words as destinations } from '../../../renderer/src/destinations/words.ts'
import { es as devicesEs } from '../../../renderer/src/devices/words.es.ts'
import { words as devices } from '../../../renderer/src/devices/words.ts'
import { es as eventsEs } from '../../../renderer/src/events/words.es.ts'
import { words as events } from '../../../renderer/src/events/words.ts'
import { es as examsEs } from '../../../renderer/src/exams/words.es.ts'
import { words as exams } from '../../../renderer/src/exams/words.ts'
import { es as imagesEs } from '../../../renderer/src/images/words.es.ts'
import { words as images } from '../../../renderer/src/images/words.ts'
import { es as keysEs } from '../../../renderer/src/keys/words.es.ts'
import { words as keys } from '../../../renderer/src/keys/words.ts'
import { es as partnerEs } from '../../../renderer/src/partner/words.es.ts'
import { words as partner } from '../../../renderer/src/partner/words.ts'
import { es as peopleEs } from '../../../renderer/src/people/words.es.ts'
import { words as people } from '../../../renderer/src/people/words.ts'
import { es as priorsEs } from '../../../renderer/src/priors/words.es.ts'
import { words as priors } from '../../../renderer/src/priors/words.ts'
import { es as quarantineEs } from '../../../renderer/src/quarantine/words.es.ts'
import { words as quarantine } from '../../../renderer/src/quarantine/words.ts'
import { es as readingEs } from '../../../renderer/src/reading/words.es.ts'
import { words as reading } from '../../../renderer/src/reading/words.ts'
import { es as accessEs } from '../../../renderer/src/settings/access-words.es.ts'
import { words as access } from '../../../renderer/src/settings/access-words.ts'
import { es as settingsEs } from '../../../renderer/src/settings/words.es.ts'
import { words as settings } from '../../../renderer/src/settings/words.ts'
import { es as setupEs } from '../../../renderer/src/setup/words.es.ts'
import { words as setup } from '../../../renderer/src/setup/words.ts'
import { es as shellEs } from '../../../renderer/src/shell/words.es.ts'
import { words as shell } from '../../../renderer/src/shell/words.ts'
import { es as studiesEs } from '../../../renderer/src/studies/words.es.ts'
import { words as studies } from '../../../renderer/src/studies/words.ts'
import { es as templatesEs } from '../../../renderer/src/templates/words.es.ts'
import { words as templates } from '../../../renderer/src/templates/words.ts'
import { es as todayEs } from '../../../renderer/src/today/words.es.ts'
import { words as today } from '../../../renderer/src/today/words.ts'
import { es as worklistEs } from '../../../renderer/src/worklist/words.es.ts'
import { words as worklist } from '../../../renderer/src/worklist/words.ts'

describe('a screen', () => {
  it('has in the navigation the name that its page has, in each language', () => {
    expect(shell.screens).toEqual({
      '/': today.title,
      '/worklist': exams.title,
      '/studies': studies.title,
      '/images': images.title,
      '/reading': reading.list.title,
      '/customers': customers.title,
      '/people': people.title,
      '/devices': devices.title,
      '/destinations': destinations.title,
      '/partner': partner.title,
      '/events': events.title,
      '/keys': keys.title,
      '/activity': activity.live.title,
      '/settings': settings.title,
    })
    expect(shellEs.screens).toEqual({
      '/': todayEs.title,
      '/worklist': examsEs.title,
      '/studies': studiesEs.title,
      '/images': imagesEs.title,
      '/reading': readingEs.list.title,
      '/customers': customersEs.title,
      '/people': peopleEs.title,
      '/devices': devicesEs.title,
      '/destinations': destinationsEs.title,
      '/partner': partnerEs.title,
      '/events': eventsEs.title,
      '/keys': keysEs.title,
      '/activity': activityEs.live.title,
      '/settings': settingsEs.title,
    })
  })

  it('has in the palette the name that its page or its tab has, in each language', () => {
    expect(shell.places).toMatchObject({
      '/worklist/why': exams.why.title,
      '/worklist/ask': worklist.title,
      '/queries': activity.tabs.queries,
      '/images/quarantine': quarantine.title,
      '/reading/criticals': criticals.title,
      '/reading/templates': templates.title,
      '/destinations/priors': priors.title,
      '/activity/associations': activity.list.title,
      '/audit': audit.title,
      '/account': account.title,
      '/settings/access': access.title,
      '/settings/readiness': setup.readiness.title,
    })
    expect(shellEs.places).toMatchObject({
      '/worklist/why': examsEs.why.title,
      '/worklist/ask': worklistEs.title,
      '/queries': activityEs.tabs.queries,
      '/images/quarantine': quarantineEs.title,
      '/reading/criticals': criticalsEs.title,
      '/reading/templates': templatesEs.title,
      '/destinations/priors': priorsEs.title,
      '/activity/associations': activityEs.list.title,
      '/audit': auditEs.title,
      '/account': accountEs.title,
      '/settings/access': accessEs.title,
      '/settings/readiness': setupEs.readiness.title,
    })
  })
})
