import { sectionsOf } from '../document.ts';

export const TOPIC = sectionsOf(`
# Layers

quote, rates, ship, ship-dual, label and webhook create build one request from these layers, the weakest first:

1  profile     Its defaults: sender, receiver, invoice, currency, type, category, deliveryType. With --like REF, the request of that booked order in place of them.
2  -f FILE     A JSON object in the shape of the request; - is stdin. \`waybill schema ship --example\` prints one.
3  flags       Those of the command, such as --from, --package or --receiver.
4  --set       PATH=VALUE sets any field by its path.
5  questions   On a terminal waybill asks for what is still missing.

A stronger layer replaces a whole party or list, so that two people are never mixed. Only --set changes a part of one.

# Writing values

--set                             --set receiver.address.city=Berlin, --set 'items[0].hsCode=610910'. The value gets the type of the field: the zip code 00123 stays text.
--package                         2x1.5kg@30x20x10cm means pieces x weight of one @ length x width x height. 2x, kg and cm are optional. @NAME and 3x@NAME are saved parcels of the profile.
--item                            description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5
--sender, --receiver, --invoice   A JSON file, or @NAME of a saved party of the profile.
countries                         ISO 3166-1 alpha-2 codes and XK. de is sent as DE.

# Defaults

If you leave them out, deliveryType is DAP, dimensions.unit is cm, and the totalPrice of an item is quantity x unitPrice. ship takes the chargeable weight from a proposal for the same packages. --carrier cheapest or fastest selects a carrier from the proposals that can be booked: isValid is true, and the order keeps the rules of the carrier. A proposal with a price of 0, or without one that can be read, is selected only if no other has a price, with a warning. A delivery time may be in hours, days, business days or weeks; without a unit it is days.

# Checks

Everything that the service document states is checked before anything is sent. All problems are shown at once, each with its path. A field that the document does not name is a problem; --allow-unknown sends it. Unlikely values give a warning: totals that are not the sum of their parts, numbers, codes and addresses that do not look like one, names that are not in Latin letters, which labels may not print. With --strict a warning is an error.

--dry-run does all checks, shows the request, and sends nothing. With --json it prints {"method","url","body","unresolved"}. "unresolved" names the fields that need a proposal.

# Questions

waybill asks nothing with --no-input, if CI is set, or if stdin or stderr is not a terminal. Then missing fields are an error that names each of them. --draft continues a form that was left. An unlikely answer is asked about at once, with an example of a right one; Enter again keeps it. Forms check phone numbers and postal codes by country, too. -y answers yes to "Book this?", but never to a duplicate.
`);
