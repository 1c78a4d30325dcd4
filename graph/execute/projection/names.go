package projection

// names maps the names of selected members to their slots. Every member of every record is looked up, and most of them
// are not selected, so a lookup must be cheaper than with a map.
type names struct {
	list    []string
	buckets [buckets]uint8 // 1 + the index of the first name with the hash; 0 for none
	next    []uint8        // 1 + the index of the next name with the same hash; 0 for none
}

const buckets = 64

func hash[T string | []byte](name T) uint8 {
	if len(name) == 0 {
		return 0
	}
	return (uint8(len(name))*7 ^ name[0]*3 ^ name[len(name)-1] ^ name[len(name)/2]*5) % buckets
}

// add returns the slot of a name, and assigns one if the name is new.
func (n *names) add(name string) int {
	if i := n.find([]byte(name)); i >= 0 {
		return i
	}
	h := hash(name)
	n.list = append(n.list, name)
	n.next = append(n.next, n.buckets[h])
	n.buckets[h] = uint8(len(n.list)) // no type of the schema has 255 fields
	return len(n.list) - 1
}

// find returns the slot of a name, or -1 if it is not selected.
func (n *names) find(name []byte) int {
	for i := n.buckets[hash(name)]; i > 0; i = n.next[i-1] {
		if n.list[i-1] == string(name) {
			return int(i - 1)
		}
	}
	return -1
}
