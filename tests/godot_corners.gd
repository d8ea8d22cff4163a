extends SceneTree
# Poses the garment of a scene as Godot imported it at some times of a clip, and writes its corners, by the skeleton's poses, the
# skin's binds and the blend shapes' values: without a display nothing is drawn that could be read back.

func _init():
	var file = File.new()
	file.open("res://given.json", File.READ)
	var given = JSON.parse(file.get_as_text()).result
	file.close()
	var scene = load("res://kimono.glb").instance()
	get_root().add_child(scene)
	var garment = _found(scene, "garment")
	var player = _found(scene, "AnimationPlayer")
	var skeleton = garment.get_node(garment.skeleton)
	player.play(given.clip)
	file.open("res://corners.bin", File.WRITE)
	for time in given.times:
		player.seek(time, true)
		var bones = []
		for k in range(garment.skin.get_bind_count()):
			var bone = garment.skin.get_bind_bone(k)
			if bone < 0:
				bone = skeleton.find_bone(garment.skin.get_bind_name(k))
			bones.append(skeleton.global_transform * skeleton.get_bone_global_pose(bone) * garment.skin.get_bind_pose(k))
		for surface in range(garment.mesh.get_surface_count()):
			_write(file, garment, surface, bones)
	file.close()
	quit()

func _found(node, name):
	if node.name == name:
		return node
	for child in node.get_children():
		var found = _found(child, name)
		if found != null:
			return found
	return null

func _write(file, garment, surface, bones):
	var mesh = garment.mesh
	var arrays = mesh.surface_get_arrays(surface)
	var shapes = mesh.surface_get_blend_shape_arrays(surface)
	var placed = []
	for v in range(arrays[Mesh.ARRAY_VERTEX].size()):
		var at = arrays[Mesh.ARRAY_VERTEX][v]
		var moved = at
		for k in range(shapes.size()):
			var target = shapes[k][Mesh.ARRAY_VERTEX][v]
			if mesh.blend_shape_mode == Mesh.BLEND_SHAPE_MODE_NORMALIZED:
				target -= at
			moved += garment.get("blend_shapes/" + mesh.get_blend_shape_name(k)) * target
		var place = Vector3()
		for k in range(4):
			var share = arrays[Mesh.ARRAY_WEIGHTS][4 * v + k]
			if share > 0:
				place += share * bones[arrays[Mesh.ARRAY_BONES][4 * v + k]].xform(moved)
		placed.append(place)
	for v in arrays[Mesh.ARRAY_INDEX]:
		for axis in range(3):
			file.store_float(placed[v][axis])
