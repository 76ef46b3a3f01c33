import type { Sentence } from '../catalogue.ts'

export const EXAMS: readonly Sentence[] = [
  ['There is no such device.', 'No existe ese dispositivo.'],
  [
    'This device is switched off and gets no worklist; switch it on under Devices.',
    'Este dispositivo está desactivado y no recibe lista de trabajo; actívelo en Dispositivos.',
  ],
  [
    'There is no device that is switched on, and the partner is asked in the name of devices.',
    'No hay ningún dispositivo activado, y al socio se le pregunta en nombre de los dispositivos.',
  ],
  [
    'At the device, set the worklist server to the address, the port and the AE title of this gateway, then test the connection there.',
    'En el dispositivo, ponga como servidor de lista de trabajo la dirección, el puerto y el AE title de esta pasarela, y pruebe allí la conexión.',
  ],
  ['{} is in the device list and switched on.', '{0} está en la lista de dispositivos y activado.'],
  [
    '{} is switched off in the device list, so it is rejected.',
    '{0} está desactivado en la lista de dispositivos, así que se rechaza.',
  ],
  ['Switch the device on under Devices.', 'Active el dispositivo en Dispositivos.'],
  ['{} has never called this gateway.', '{0} nunca ha llamado a esta pasarela.'],
  ['It has never called.', 'Nunca ha llamado.'],
  [
    'It has called today, under its AE title and from an address that is its own.',
    'Ha llamado hoy, con su AE title y desde una dirección propia.',
  ],
  [
    'It has not called today as it is known here, but something that may be it has.',
    'Hoy no ha llamado tal como se le conoce aquí, pero sí algo que puede ser él.',
  ],
  [
    'Correct AE title or address of the device under Devices, or at the device.',
    'Corrija el AE title o la dirección del dispositivo en Dispositivos, o en el dispositivo.',
  ],
  ['It called last on {}, not today.', 'Llamó por última vez el {0}, no hoy.'],
  [
    'Check that the device is on and in the network, and refresh its list there.',
    'Compruebe que el dispositivo está encendido y en la red, y actualice allí su lista.',
  ],
  ['Its last call was rejected.', 'Su última llamada se rechazó.'],
  [
    'Mend what the reason says, then let the device call again.',
    'Corrija lo que dice el motivo y haga que el dispositivo llame de nuevo.',
  ],
  ['Its last call was accepted.', 'Su última llamada se aceptó.'],
  [
    'It has not asked for a worklist, as far back as queries are kept.',
    'No ha pedido una lista de trabajo en el tiempo que se guardan las consultas.',
  ],
  [
    'Refresh the worklist at the device. If nothing comes of it, its worklist server is not set to this gateway.',
    'Actualice la lista de trabajo en el dispositivo. Si no ocurre nada, su servidor de lista de trabajo no es esta pasarela.',
  ],
  ['Its query cannot be understood: {}.', 'No se entiende su consulta: {0}.'],
  [
    'Correct the query at the device; the query shows the keys as received.',
    'Corrija la consulta en el dispositivo; la consulta muestra las claves tal como se recibieron.',
  ],
  ['It asked for its worklist last on {}.', 'Pidió su lista de trabajo por última vez el {0}.'],
  [
    'It asked for its worklist last on {}: what it shows is from then.',
    'Pidió su lista de trabajo por última vez el {0}: lo que muestra es de entonces.',
  ],
  ['Refresh the worklist at the device.', 'Actualice la lista de trabajo en el dispositivo.'],
  ['The partner answered on {}.', 'El socio respondió el {0}.'],
  [
    'The query was not understood, so the partner was not asked.',
    'No se entendió la consulta, así que no se preguntó al socio.',
  ],
  [
    'There is no answer of the partner for this device: {}.',
    'No hay respuesta del socio para este dispositivo: {0}.',
  ],
  ['See under Partner what keeps it from answering.', 'Vea en Socio qué le impide responder.'],
  [
    'The partner cannot be asked now; its last good answer is used.',
    'Ahora no se puede preguntar al socio; se usa su última respuesta válida.',
  ],
  ['The partner answers for this device.', 'El socio responde para este dispositivo.'],
  [
    'The exam is in the partner’s answer to this device.',
    'La exploración está en la respuesta del socio a este dispositivo.',
  ],
  ['There is no answer to look in.', 'No hay respuesta en la que buscar.'],
  [
    'Check in the partner’s system that the exam is planned for this day and not cancelled.',
    'Compruebe en el sistema del socio que la exploración está programada para este día y no está cancelada.',
  ],
  [
    'The partner lists the exam for other devices, but not in its answer to this one.',
    'El socio incluye la exploración para otros dispositivos, pero no en su respuesta a este.',
  ],
  [
    'Ask the partner’s support which AE titles the exam is meant for.',
    'Pregunte al soporte del socio para qué AE titles es la exploración.',
  ],
  ['On the list of {}.', 'En la lista de {0}.'],
  ['The partner has no such exam on {}.', 'El socio no tiene esa exploración el {0}.'],
  ['There is no exam to check.', 'No hay ninguna exploración que comprobar.'],
  [
    'Nothing about the exam has to be withheld from devices.',
    'Nada de la exploración tiene que retenerse ante los dispositivos.',
  ],
  [
    'The exam is withheld from every device: {}.',
    'La exploración se retiene para todos los dispositivos: {0}.',
  ],
  [
    'Have it corrected in the partner’s system; the next answer counts.',
    'Haga que se corrija en el sistema del socio; cuenta la próxima respuesta.',
  ],
  ['Each exam decides its character set.', 'Cada exploración decide su juego de caracteres.'],
  ['The device’s character set is {}.', 'El juego de caracteres del dispositivo es {0}.'],
  ['Its texts can be sent to the device.', 'Sus textos se pueden enviar al dispositivo.'],
  [
    'The exam cannot be sent to this device: {}.',
    'La exploración no se puede enviar a este dispositivo: {0}.',
  ],
  [
    'Choose a character set under Devices that the device understands and that has these letters.',
    'Elija en Dispositivos un juego de caracteres que el dispositivo entienda y que tenga estas letras.',
  ],
  ['There is no exam to hold against it.', 'No hay ninguna exploración con la que compararlo.'],
  [
    'The device’s own query did not reach the partner.',
    'La consulta del propio dispositivo no llegó al socio.',
  ],
  [
    'The exam is on {}, and the device’s query covers {}.',
    'La exploración es del {0}, y la consulta del dispositivo abarca {1}.',
  ],
  [
    'Choose the day at the device; for a query without a day, set the days under Devices.',
    'Elija el día en el dispositivo; para una consulta sin día, defina los días en Dispositivos.',
  ],
  [
    'The exam is of modality {}, and the device asks for {} only.',
    'La exploración es de modalidad {0}, y el dispositivo solo pide {1}.',
  ],
  [
    'Correct the modality at the device or in the partner’s system.',
    'Corrija la modalidad en el dispositivo o en el sistema del socio.',
  ],
  ['The exam was cut off: {}.', 'La exploración quedó cortada: {0}.'],
  [
    'Let the device ask for less, such as one modality or one day, or raise its limit under Devices.',
    'Haga que el dispositivo pida menos, por ejemplo una modalidad o un día, o aumente su límite en Dispositivos.',
  ],
  [
    'The device asks for another station than its own, and it is set to be taken at its word.',
    'El dispositivo pregunta por otra estación que la suya, y está configurado para tomarlo al pie de la letra.',
  ],
  [
    'Correct the station at the device, or set its station to “echo” under Devices.',
    'Corrija la estación en el dispositivo, o ponga su estación en «eco» en Dispositivos.',
  ],
  [
    'The exam is outside the days that the device asks for.',
    'La exploración está fuera de los días que pide el dispositivo.',
  ],
  ['Choose the day at the device.', 'Elija el día en el dispositivo.'],
  [
    'The exam is within the days, the modality and the number of exams of the device.',
    'La exploración está dentro de los días, la modalidad y el número de exploraciones del dispositivo.',
  ],
  ['There is no exam to hold against them.', 'No hay ninguna exploración con la que compararlos.'],
  [
    'The answer to the device’s own query does not have the exam.',
    'La respuesta a la consulta del propio dispositivo no tiene la exploración.',
  ],
  ['It asks for nothing in particular.', 'No pide nada en particular.'],
  [
    'The exam meets every key of its query.',
    'La exploración cumple todas las claves de su consulta.',
  ],
  ['Every other key is met.', 'Todas las demás claves se cumplen.'],
  [
    'The exam does not meet a key of its query: {}.',
    'La exploración no cumple una clave de su consulta: {0}.',
  ],
  ['Clear or correct that key at the device.', 'Borre o corrija esa clave en el dispositivo.'],
  ['There is no exam to look at.', 'No hay ninguna exploración que mirar.'],
  [
    'It is marked as done here, which counts for stored answers only.',
    'Está marcada como hecha aquí, lo que solo cuenta para respuestas guardadas.',
  ],
  ['It is neither done nor closed here.', 'No está hecha ni cerrada aquí.'],
  ['It is closed here: {}.', 'Está cerrada aquí: {0}.'],
  [
    'Reopen it under Worklist if that was a mistake.',
    'Vuelva a abrirla en Lista de trabajo si fue un error.',
  ],
  ['It is not served: {}.', 'No se sirve: {0}.'],
  ['It comes back when the partner answers again.', 'Vuelve cuando el socio responda de nuevo.'],
  ['It is off the list because it is {}.', 'No está en la lista porque está {0}.'],
  [
    'If it has to be imaged again, have another step planned in the partner’s system.',
    'Si hay que repetirla, haga que se programe otro paso en el sistema del socio.',
  ],
  ['It would not be sent now.', 'Ahora no se enviaría.'],
  [
    'The device would be given the exam now, but it was not yet: it has not asked since the partner lists it.',
    'El dispositivo recibiría ahora la exploración, pero aún no la recibió: no ha preguntado desde que el socio la incluye.',
  ],
  ['The device was given the exam on {}.', 'El dispositivo recibió la exploración el {0}.'],
  [
    'If it is not shown there, look at the filter of the device’s own screen.',
    'Si no se muestra allí, mire el filtro de la pantalla del propio dispositivo.',
  ],
  [
    '{} called from {}, {}, which is not the address of this device ({}).',
    '{0} llamó desde {1}, {2}, que no es la dirección de este dispositivo ({3}).',
  ],
  ['From its address {} called {}, {}.', 'Desde su dirección {0} llamó {1}, {2}.'],
  ['Several exams fit; choose one.', 'Coinciden varias exploraciones; elija una.'],
  [
    'Nothing keeps this exam from the device.',
    'Nada impide que esta exploración llegue al dispositivo.',
  ],
  ['Rejected on {}: {}', 'Rechazada el {0}: {1}'],
  ['outside the days', 'fuera de los días'],
  ['last on {}', 'por última vez el {0}'],
  ['name an exam or a patient', 'indique una exploración o un paciente'],
  ['{} has called; last on {}.', '{0} ha llamado; por última vez el {1}.'],
  ['{} has called; last on {} from {}.', '{0} ha llamado; por última vez el {1} desde {2}.'],
  ['The device’s query covers {}.', 'La consulta del dispositivo abarca {0}.'],
  [
    'The device’s query covers {}, modality {}.',
    'La consulta del dispositivo abarca {0}, modalidad {1}.',
  ],
  ['{#}-{#}-{#} to {#}-{#}-{#}', '{0}-{1}-{2} a {3}-{4}-{5}'],
  [
    'The partner listed the exam earlier and does not any more: cancelled or moved.',
    'El socio incluía antes la exploración y ya no: cancelada o cambiada de día.',
  ],
  ['The answer of {} does not have it.', 'La respuesta del {0} no la tiene.'],
]
