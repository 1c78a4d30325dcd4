package projection

// names finds the place of a member's name among those that are asked for. Every member of every record is looked up, and
// most are not asked for, so a look-up is a few instructions: no map is as fast.
type names struct {
	list    []string
	buckets [buckets]uint8 // 1 + the first name with the hash; 0 for none
	next    []uint8        // 1 + the next one
}

const buckets = 64

func hash[T string | []byte](name T) uint8 {
	if len(name) == 0 {
		return 0
	}
	return (uint8(len(name))*7 ^ name[0]*3 ^ name[len(name)-1] ^ name[len(name)/2]*5) % buckets
}

// add gives a name its place, the same for the same name.
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

// find returns the place of a name, -1 when it is not asked for.
func (n *names) find(name []byte) int {
	for i := n.buckets[hash(name)]; i > 0; i = n.next[i-1] {
		if n.list[i-1] == string(name) {
			return int(i - 1)
		}
	}
	return -1
}
