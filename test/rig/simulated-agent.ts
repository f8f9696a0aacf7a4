// A service for agents: one carrier, which books what they ask for.
import { fixture } from './service.ts';
import { http, type Raw, type Reply, rawServer } from './sockets.ts';

/** A service with one carrier, on a bare socket. `book` answers a booking; `bodies` are those that arrived, in their order. */
export async function carrierService(
  book: Reply = booked,
): Promise<{ raw: Raw; bodies(): Record<string, unknown>[] }> {
  const isBooking = (request: string) => request.startsWith('POST /v1/shipments ');
  let bookings = 0;
  const raw = await rawServer((socket, request) => {
    if (isBooking(request)) {
      bookings += 1;
      return book(socket, request, bookings - 1);
    }
    const answer = request.startsWith('POST /v1/carriers/proposal ')
      ? fixture('v1/carriers/proposal/POST/full.201.json')
      : fixture('v2/carriers/create/POST/minimal.200.json');
    return socket.write(http(200, JSON.stringify(answer)));
  });
  return {
    raw,
    bodies: () =>
      raw.requests.filter(isBooking).map(request => JSON.parse(request.slice(request.indexOf('\r\n\r\n')))),
  };
}

/** A shipment with an id of its own. */
export const booked: Reply = (socket, _, index) => {
  const carrier = { id: 'EXP', name: 'Example Express', price: 97, currency: 'USD' };
  const shipment = { ...fixture('v1/shipments/POST/minimal.201.json'), id: `S-${index + 1}`, carrier };
  socket.write(http(201, JSON.stringify(shipment)));
};
