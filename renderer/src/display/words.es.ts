import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  days: (start, end) => `${start} a ${end}`,
  localTime: 'hora de este PC',
  ago: {
    now: 'ahora mismo',
    minutes: (count) => `hace ${count} min`,
    hours: (count) => `hace ${count} h`,
    days: (count) => (count === 1 ? 'hace 1 día' : `hace ${count} días`),
  },
  noName: '(sin nombre)',
  sexes: { M: 'masculino', F: 'femenino', O: 'otro' },
  defaultEndpoint: 'Socio',
  password: {
    short: (missing) => `Demasiado corta: faltan ${missing}`,
    guessable: 'Fácil de adivinar: use palabras que no sean suyas ni muy conocidas',
    fair: 'Aceptable: unas palabras más la harían segura',
    strong: 'Segura',
  },
  sources: {
    live: { name: 'En vivo', meaning: 'Se preguntó al socio para esta consulta.' },
    fresh: {
      name: 'Reciente',
      meaning: 'Se volvió a usar la respuesta del socio de hace unos segundos.',
    },
    shared: {
      name: 'Compartida',
      meaning: 'Otra consulta preguntaba lo mismo; ambas usaron su respuesta.',
    },
    stored: {
      name: 'Guardada',
      meaning: 'No se pudo preguntar al socio: se usó su última respuesta válida.',
    },
    downtime: {
      name: 'Contingencia',
      meaning: 'El modo de contingencia está activo: se usó la última respuesta válida del socio.',
    },
    none: { name: 'Sin respuesta', meaning: 'No había ninguna respuesta del socio que usar.' },
  },
  faults: {
    'no-endpoint': {
      name: 'no hay un socio configurado',
      remedy: 'Un administrador introduce la dirección en la pantalla Socio.',
    },
    unreachable: {
      name: 'no se pudo contactar con el socio',
      remedy:
        'Compruebe la red de este PC y avise después al soporte del socio. Entretanto, el modo de contingencia puede servir la última respuesta válida.',
    },
    timeout: {
      name: 'el socio no respondió a tiempo',
      remedy: 'Consulte de nuevo. Si sigue lento, indique al soporte del socio cuándo ocurrió.',
    },
    status: {
      name: 'el socio respondió con un error',
      remedy: 'Indique al soporte del socio la hora y el id. del webhook que figura abajo.',
    },
    oversize: {
      name: 'la respuesta del socio era demasiado grande',
      remedy: 'Pida menos días, o pregunte al soporte del socio por qué la lista es tan larga.',
    },
    invalid: {
      name: 'la respuesta del socio no se pudo leer',
      remedy: 'Indique al soporte del socio la hora y el id. del webhook que figura abajo.',
    },
    refused: {
      name: 'el socio rechazó este dispositivo',
      remedy: 'Pida al soporte del socio que autorice este AE title y esta dirección.',
    },
    'circuit-open': {
      name: 'el socio falló varias veces seguidas y por un momento no se le pregunta',
      remedy: 'La pasarela lo intenta de nuevo por sí sola en menos de un minuto.',
    },
    'forbidden-address': {
      name: 'no está permitido llamar a la dirección del socio',
      remedy:
        'Un administrador permite http sin cifrar o una dirección privada en la pantalla Socio, si es lo que se desea.',
    },
  },
  statuses: {
    success: { name: 'Correcto', meaning: 'El dispositivo recibió la lista completa.' },
    cancelled: {
      name: 'Cancelada',
      meaning:
        'El dispositivo canceló su propia consulta antes de que la lista estuviera completa.',
    },
    resources: {
      name: 'Sin recursos',
      meaning:
        'Se indicó al dispositivo que ahora no se puede dar una lista completa. Puede volver a preguntar.',
    },
    misread: {
      name: 'Consulta no entendida',
      meaning:
        'Se indicó al dispositivo que su consulta no corresponde al servicio de lista de trabajo.',
    },
    partnerRefused: {
      name: 'Rechazada por el socio',
      meaning: 'Se indicó al dispositivo que no se pudo hacer la lista: el socio la rechazó.',
    },
    partnerUnusable: {
      name: 'Respuesta inservible del socio',
      meaning: 'Se indicó al dispositivo que no se pudo hacer la lista con la respuesta del socio.',
    },
    gatewayFault: {
      name: 'Fallo de la pasarela',
      meaning: 'Se indicó al dispositivo que la propia pasarela no pudo hacer la lista.',
    },
    notSupported: {
      name: 'Servicio no admitido',
      meaning: 'El dispositivo pidió un servicio que no es la lista de trabajo.',
    },
    processing: {
      name: 'Fallo de procesamiento',
      meaning: 'La pasarela no pudo procesar la solicitud.',
    },
    unable: {
      name: 'No se pudo procesar',
      meaning: 'Se indicó al dispositivo que no se pudo hacer la lista.',
    },
    other: {
      name: (code) => `Estado ${code}`,
      meaning: 'El dispositivo recibió este estado; véase la norma DICOM, PS3.7 anexo C.',
    },
  },
  images: {
    sendAgain:
      'Envíe de nuevo el estudio desde el dispositivo: lo que ya está aquí se reconoce y no se duplica.',
    brokeOff: (at) => `la transferencia se cortó ${at}`,
    receiving: 'Recibiendo',
    receivingMeaning: 'Están llegando imágenes, o la última llegó hace un momento.',
    endedEarly: 'La conexión terminó antes de tiempo.',
    noImages: 'Sin imágenes',
    noImagesMeaning: 'Lo que llegó se apartó, o se descartó después. No se añadió nada al estudio.',
    complete: 'Completo',
    completeUnannounced:
      'No ha llegado nada desde la última imagen. El dispositivo no anunció un número de imágenes, así que nadie puede asegurar que no falte ninguna.',
    completeMeaning: 'Están aquí todas las imágenes que anunció el dispositivo.',
    missing: (count) => `faltan ${count}`,
    incomplete: 'Incompleto',
    incompleteWhy: (why) => `Incompleto: ${why}`,
    announced: (here, announced) => `${here} (${announced} anunciadas)`,
    study: 'Estudio',
    studyOf: (modalities) => `Estudio de ${modalities}`,
    ofDay: (study, day) => `${study} del ${day}`,
  },
  enrichments: {
    'not-asked': {
      name: 'Conocido antes',
      meaning:
        'El estudio se registró antes de que llegaran sus imágenes; no se preguntó al socio.',
    },
    waiting: { name: 'Preguntando', meaning: 'Se pregunta al socio qué sabe de este estudio.' },
    done: { name: 'Completado', meaning: 'El socio añadió lo que sabe de este estudio.' },
    empty: { name: 'Nada que añadir', meaning: 'El socio respondió que no tiene nada que añadir.' },
    'given-up': {
      name: 'Sin completar',
      meaning:
        'No se pudo preguntar al socio durante tanto tiempo que la pasarela dejó de intentarlo.',
    },
  },
  quarantine: {
    'different-content': {
      name: 'Aquí hay otra imagen con el mismo identificador',
      remedy:
        'Revise el estudio en el dispositivo. Si esta es la imagen corregida, acéptela: ocupa el lugar, y la otra se conserva. Si llegó por error, descártela.',
    },
    'wrong-step': {
      name: 'Tomada con la entrada equivocada de la lista de trabajo',
      remedy:
        'El dispositivo indica que se eligió un paciente o una exploración equivocados. Corríjalo en el dispositivo, envíe las imágenes de nuevo y descarte estas. Acéptelas solo si de verdad pertenecen a este estudio.',
    },
    'invalid-uid': {
      name: 'Un identificador de la imagen incumple las reglas DICOM',
      remedy:
        'Avise al servicio técnico del dispositivo. Si la imagen es necesaria, acéptela: otros sistemas pueden rechazarla. Si se envía de nuevo correctamente, descarte esta.',
    },
    incomplete: {
      name: 'La imagen está incompleta',
      remedy:
        'Llegó sin todos sus píxeles, o dañada. Envíela de nuevo desde el dispositivo y descarte esta. Su almacenamiento nunca se confirma al dispositivo.',
    },
    'long-header': {
      name: 'Su cabecera es demasiado larga para leerla entera',
      remedy:
        'La imagen está comprimida por completo (deflate), y no se pudo leer todo lo que dice de sí misma. Si pertenece a este estudio, acéptela. Mejor: haga que el dispositivo la envíe sin comprimir y descarte esta.',
    },
  },
  mismatches: {
    patientName: 'Paciente',
    patientId: 'ID del paciente',
    patientBirthDate: 'Nacimiento',
    patientSex: 'Sexo',
    accessionNumber: 'N.º de acceso',
    studyInstanceUid: 'UID del estudio',
  },
}
